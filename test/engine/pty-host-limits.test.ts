import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RESERVED_FILES } from '#dist/contract/limits.js';
import { onTmux } from '../support/backend.js';
import { limitProcess } from '../support/limit-process.js';
import { eventually, openFiles } from '../support/processes.js';
import { Collector, isAlive, Rig } from './pty-host-rig.js';

const ROOM_FOR = 10;
/** Open files for each terminal: master and slave; in tmux only the slave. */
const FILES_EACH = onTmux ? 1 : 2;

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

const limit = (what: string) => limitProcess(rig.host.hostPid, what);

describe.runIf(process.platform === 'linux')('at the limit of open files', () => {
  test('a terminal is refused by name, running ones go on, and closing one makes room', async () => {
    const echo = await rig.run('stty -echo; printf up; while read l; do echo "got $l"; done');
    await echo.sink.until('it runs', () => echo.sink.text.includes('up'));
    const allowed = openFiles(rig.host.hostPid) + RESERVED_FILES + ROOM_FOR * FILES_EACH;
    limit(`--nofile=${allowed}`);

    const made: number[] = [];
    const refusal = await (async () => {
      for (;;) made.push((await rig.spawn('/bin/sleep', ['1000'])).handle);
    })().catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'spawn-failed',
      message: `/bin/sleep could not be started: the pty host cannot open more files (its limit: ${allowed}), and each terminal needs two; raise the limit of open files (ulimit -n)`,
    });
    expect(made.length).toBeGreaterThanOrEqual(ROOM_FOR - 2);
    expect(made.length).toBeLessThanOrEqual(ROOM_FOR);

    // Refused terminals cost nothing, and connections are still accepted.
    const open = openFiles(rig.host.hostPid);
    for (let count = 0; count < 100; count++) await rig.spawn('/bin/sleep', ['1000']).catch(() => {});
    // The host opens files of /proc for a moment to set nice values, so either count may include such a file.
    await eventually('as many as before', () => openFiles(rig.host.hostPid) <= open);
    const shard = await rig.connect();
    const second = new Collector();
    second.attach(shard, echo.handle);
    await second.until('another shard has it', () => second.text.includes('up'));
    await rig.host.type(echo.handle, [{ data: 'on\r' }]);
    await second.until('it goes on', () => second.text.includes('got on'));

    await rig.host.kill(made.pop()!);
    await expect(rig.spawn('/bin/sleep', ['1000'])).resolves.toHaveProperty('pid');
    expect(await rig.host.list()).toHaveLength(made.length + 2);
  });

  test('their processes are still found and ended', async () => {
    const { pid, handle, sink } = await rig.run(
      'sh -c "trap : HUP; printf up; while :; do sleep 1; done" & wait',
    );
    await sink.until('it runs', () => sink.text.includes('up'));
    limit(`--nofile=${openFiles(rig.host.hostPid)}`);
    await expect(rig.spawn('/bin/sleep', ['1000'])).rejects.toMatchObject({ code: 'spawn-failed' });
    await rig.host.kill(handle);
    await eventually('it has ended', () => !isAlive(pid));
  });
});
