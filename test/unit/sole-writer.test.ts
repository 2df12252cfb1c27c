import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SoleWriter } from '#dist/actors/sole-writer.js';
import type { Principal } from '#dist/contract/principal.js';

const WRITER: fc.Arbitrary<Principal> = fc.record(
  {
    kind: fc.constantFrom('user', 'agent', 'service'),
    terminalId: fc.constantFrom('term_1', 'term_2'),
    token: fc.constantFrom({ id: 'tok_1', name: 'one' }, { id: 'tok_2', name: 'two' }),
    pid: fc.constantFrom(1, 2),
    verified: fc.boolean(),
  },
  { requiredKeys: ['kind', 'verified'] },
);

it('nobody has typed at first', () => {
  expect(new SoleWriter().who).toBeNull();
});

it('names a writer only while what it says holds of every writer so far', () => {
  fc.assert(
    fc.property(fc.array(WRITER, { minLength: 1, maxLength: 6 }), (writers) => {
      const sole = new SoleWriter();
      for (const [index, writer] of writers.entries()) {
        sole.add(writer);
        const all = writers.slice(0, index + 1);
        const is = (holds: (other: Principal) => boolean) => all.every(holds);
        const areOne = is(
          ({ kind, terminalId, token }) =>
            kind === writer.kind && terminalId === writer.terminalId && token?.id === writer.token?.id,
        );
        const { who } = sole;
        expect(who !== null).toBe(areOne);
        if (who === null) continue;
        expect(who).toMatchObject({ kind: writer.kind, verified: is(({ verified }) => verified) });
        expect([who.terminalId, who.token]).toEqual([writer.terminalId, writer.token]);
        expect(who.pid === undefined || is(({ pid }) => pid === who.pid)).toBe(true);
      }
    }),
  );
});
