import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAX_UNCONFIRMED_BYTES } from '#dist/contract/limits.js';
import { Collector, Rig } from './pty-host-rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

/** Runs a terminal that floods and whose reader confirms no output, until the host's limit is reached. */
async function held(script: string) {
  const sink = new Collector();
  sink.holding = true;
  const terminal = await rig.run(script, { tmux: true, sink });
  await sink.until('full', () => sink.position >= MAX_UNCONFIRMED_BYTES);
  return terminal;
}

const LINES = 1_000_000;

test('a flood whose output is refused again and again comes to the last byte', async () => {
  const terminal = await held(`seq 1 ${LINES}; exit 3`);
  const { sink } = terminal;
  for (let turn = 0; sink.exit === null && turn < 1_000; turn += 1) {
    const at = sink.position;
    sink.release();
    sink.holding = true;
    await sink.until('more', () => sink.exit !== null || sink.position >= at + MAX_UNCONFIRMED_BYTES / 2);
  }
  expect(await sink.end()).toMatchObject({ exitCode: 3 });
  const printed = Array.from({ length: LINES }, (_, index) => `${index + 1}\r\n`).join('');
  expect(sink.position).toBe(printed.length);
  expect(sink.text === printed).toBe(true);
});

test('of held terminals, any may be closed, resized, typed into and looked at; others go on', async () => {
  const other = await rig.run('printf up; read -r line; printf "got $line"; exit 4', { tmux: true });
  for (let count = 0; count < 10; count += 1) {
    const [one, two] = await Promise.all([held('exec yes'), held('seq 1 250000; exit 5')]);
    rig.host.resize(one.handle, 60 + count, 20);
    await rig.host.type(two.handle, [{ data: 'typed\n' }]);
    const look = rig.host.capture(one.handle, false);
    if (count % 2) two.sink.release();
    await rig.host.kill(one.handle);
    await look.catch(() => null);
    if (count % 2) expect(await two.sink.end()).toMatchObject({ exitCode: 5 });
    else await rig.host.kill(two.handle);
  }
  await rig.host.type(other.handle, [{ data: 'on\n' }]);
  expect(await other.sink.end()).toMatchObject({ exitCode: 4 });
  expect(other.sink.text).toContain('got on');
});
