import fc from 'fast-check';

/** Any output, whole characters or not. */
export const output = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }).map((raw) => Buffer.from(raw)),
      fc.constantFrom([0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0x80, 0x80]).map(Buffer.from),
      fc.constant(Buffer.from('a long line 漢字 🙂 \x1b[31m\r\n'.repeat(40))),
    ),
    { maxLength: 25 },
  )
  .map((parts) => Buffer.concat(parts as Buffer[]));

/** Events between two chunks of output. */
export const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('output' as const), bytes: fc.nat(60) }) },
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(80) }),
  fc.record({ kind: fc.constant('typed' as const), ago: fc.nat(40) }),
  fc.record({ kind: fc.constant('flush' as const) }),
  /**
   * After a crash the next recorder gets the output from a checkpoint on; everything before the checkpoint was flushed.
   */
  fc.record({ kind: fc.constant('crash' as const), back: fc.nat(100), torn: fc.nat(40) }),
);
