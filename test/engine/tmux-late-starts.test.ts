import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SpawnRequest, SpawnResult } from '#dist/contract/host-protocol.js';
import { Collector, Rig } from './pty-host-rig.js';

let rig: Rig;
beforeEach(async () => {
  // The client gives a call up long before the host gives tmux up.
  rig = await Rig.start({ callDeadlineMs: 2_000 });
  const first = await rig.run('printf warm', { tmux: true });
  await first.sink.end();
  rig.host.forget(first.handle);
});
afterEach(() => rig.end());

/** A program that records in `ran` that it was started, and goes on. */
function program(): SpawnRequest {
  const script = 'echo ran >> ran; printf up; exec sleep 1000';
  return rig.program('/bin/sh', ['-c', script], { tmux: true });
}

/**
 * Requests a terminal while tmux is stopped; resumes tmux once the request is given up and `meanwhile` has returned.
 */
async function givenUp<Result>(spawn: () => Promise<SpawnResult>, meanwhile: () => Result): Promise<Result> {
  const { serverPid } = rig.tmux;
  process.kill(serverPid, 'SIGSTOP');
  try {
    await expect(spawn()).rejects.toMatchObject({ code: 'outcome-unknown' });
    return meanwhile();
  } finally {
    process.kill(serverPid, 'SIGCONT');
  }
}

async function runs({ handle }: SpawnResult): Promise<void> {
  const sink = new Collector();
  sink.attach(rig.host, handle);
  await sink.until('up', () => sink.text === 'up');
  expect(await readFile(join(rig.folder, 'ran'), 'utf8')).toBe('ran\n');
  expect((await rig.host.list()).map((terminal) => terminal.handle)).toEqual([handle]);
}

test('a retry that comes while the program is being started gets its terminal: it runs once', async () => {
  const request = program();
  const late: SpawnResult[] = [];
  const spawn = () => rig.host.spawn(request, (spawned) => late.push(spawned));
  const { retry } = await givenUp(spawn, () => ({ retry: spawn() }));
  await runs(await retry);
  expect(late).toEqual([]);
});

test('without a retry, a program that was started late is given to who asked', async () => {
  const request = program();
  let tell = (_: SpawnResult) => {};
  const late = new Promise<SpawnResult>((resolve) => {
    tell = resolve;
  });
  await givenUp(
    () => rig.host.spawn(request, tell),
    () => undefined,
  );
  await runs(await late);
});
