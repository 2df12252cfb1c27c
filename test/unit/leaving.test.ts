import { expect, test } from 'vitest';
import { Leaving } from '../../src/actors/leaving.js';
import type { Parts } from '../../src/actors/pty-host-supervisor.js';
import type { TerminalEvents } from '../../src/actors/terminal-events.js';

test('a terminal is told to be gone only once its shard has let go of it, in the turn in which its end is ordered', async () => {
  const happened: string[] = [];
  let letGo = () => {};
  const left = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const host = { kill: () => happened.push('killed') };
  const shards = { close: () => left };
  const events: Pick<TerminalEvents, 'emit'> = { emit: ({ type }) => void happened.push(type) };
  const leaving = new Leaving(async () => ({ host, shards }) as unknown as Parts, events);
  const closed = leaving.take('term_1', 'closed').then(() => host.kill());
  await Promise.resolve();
  const settled = leaving.settled().then(() => happened.push('settled'));
  await new Promise((resolve) => setImmediate(resolve));
  // A service that ends now leaves the terminal to the next one.
  expect(happened).toEqual([]);
  letGo();
  await Promise.all([closed, settled]);
  expect(happened.filter((each) => each !== 'settled')).toEqual(['removed', 'killed']);
  await leaving.settled();
});
