import { expect, test } from 'vitest';
import { InputGate } from '#dist/actors/input-gate/input-gate.js';
import { DomainError } from '#dist/contract/errors.js';

function gate() {
  return new InputGate({
    settings: () => ({ protectHumans: 'off', humanQuietMs: 0, draftHoldMs: 60_000 }),
    isRunning: () => true,
    isInFlight: () => false,
    emit: () => undefined,
  });
}
const typed = async () => 'typed';

test('a write under its own hold passes that and those who wait for its end, but no person', async () => {
  const input = gate();
  const hold = await input.enter('t', { whenBusy: 'queue' });
  const waiting = input.through('t', { whenBusy: 'queue', queueMs: 60_000 }, async () => 'after');
  await expect(input.through('t', { whenBusy: 'refuse' }, typed)).rejects.toMatchObject({ code: 'locked' });
  expect(await input.through('t', { whenBusy: 'refuse', hold }, typed)).toBe('typed');
  input.person('t', 'half a line', undefined);
  await expect(input.through('t', { whenBusy: 'refuse', hold }, typed)).rejects.toMatchObject({
    ...{ code: 'locked', details: { draft: true } },
  });
  input.person('t', '\r', undefined);
  expect(await input.through('t', { whenBusy: 'refuse', hold }, typed)).toBe('typed');
  hold.release();
  expect(await waiting).toBe('after');
});

test('a hold that has ended, or is of another terminal, is none', async () => {
  const input = gate();
  const ended = await input.enter('t', {});
  ended.release();
  const elsewhere = await input.enter('other', {});
  const held = await input.enter('t', {});
  for (const hold of [ended, elsewhere]) {
    await expect(input.through('t', { whenBusy: 'refuse', hold }, typed)).rejects.toMatchObject({
      code: 'locked',
    });
  }
  held.release();
  elsewhere.release();
});

test('a hold lets nothing more be sent once its writer may not type there any more', async () => {
  let refused: DomainError | undefined;
  const hold = await gate().enter('t', { refusal: (id) => (id === 't' ? refused : undefined) });
  hold.check();
  refused = new DomainError('unauthorized');
  expect(() => hold.check()).toThrow(refused);
  hold.release();
});
