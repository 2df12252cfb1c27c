import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FLEET_BRIEF_BYTES, FLEET_PART_BYTES } from '../../src/contract/limits.js';
import { TwoMachines } from '../support/two-machines.js';

const READ = { method: 'GET', url: '/api/terminals/t/output' };

/** Resolves with the body that arrives of an answer, and with the number of messages in which it came. */
async function arrived(body: Uint8Array): Promise<{ body: Buffer; messages: number }> {
  const machines = new TwoMachines();
  machines.answer = body;
  const { calls } = machines;
  let messages = 0;
  const onAnswer = calls.onAnswer.bind(calls);
  calls.onAnswer = (...answer) => {
    messages++;
    onAnswer(...answer);
  };
  return { body: (await machines.call(READ)).body, messages };
}

test.each([
  ['no body', Buffer.alloc(0), 1],
  ['text', Buffer.from('{"text":"\\u0000\\ud800 \\"ä😀\ufeff"}'), 1],
  ['the longest text that is brief', Buffer.alloc(FLEET_BRIEF_BYTES, '"'), 1],
  ['a longer text', Buffer.alloc(FLEET_BRIEF_BYTES + 1, 'x'), 2],
  ['a text of many parts', Buffer.alloc(2 * FLEET_PART_BYTES + 1, 'x'), 4],
  ['bytes that are no text', Buffer.from([0x22, 0xff, 0xc3, 0x28, 0x22]), 2],
])('%s comes whole, in as few messages as it takes', async (_name, body, messages) => {
  expect(await arrived(body)).toEqual({ body, messages });
});

test('any bytes come as they were sent', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc.string({ unit: 'binary', maxLength: 64 }).map((text) => Uint8Array.from(Buffer.from(text))),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (body) => {
      expect((await arrived(body)).body).toEqual(Buffer.from(body));
    }),
  );
});
