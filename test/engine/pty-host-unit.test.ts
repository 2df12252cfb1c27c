import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hostArguments } from '#dist/workers/pty-host/client/host-command.js';
import { connectOrStartHost } from '#dist/workers/pty-host/client/start-host.js';
import { eventually, processInfo } from '../support/processes.js';

const ENTRY = new URL(import.meta.resolve('#dist/workers/pty-host/main.js'));
const UNIT = 'a-host.service';
const path = process.env.PATH;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'at-unit-'));
  process.env.PATH = `${folder}${delimiter}${path}`;
});
afterEach(() => {
  process.env.PATH = path;
  rmSync(folder, { recursive: true });
});

/** Puts a `systemctl` on PATH that runs this script to start the unit, and records how it was called. */
function systemctl(start: string): void {
  const file = join(folder, 'systemctl');
  const script = `echo "$*" >> ${folder}/calls
case "$*" in
  '--user start ${UNIT}') ${start} ;;
  '--user is-active --quiet ${UNIT}') kill -0 "$(cat ${folder}/pid)" 2>/dev/null ;;
  *) exit 64 ;;
esac
`;
  writeFileSync(file, `#!/bin/sh\n${script}`);
  chmodSync(file, 0o755);
}

const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
const places = () => ({ socketPath: join(folder, 'host.sock'), spillFolder: folder });
const connect = () =>
  connectOrStartHost({
    ...places(),
    ...{ logFile: join(folder, 'host.log'), instanceId: 'test', orphanMs: 60_000, entry: ENTRY, unit: UNIT },
  });

test('a host that is a unit is started by systemd, and waited for until it listens', async () => {
  const words = [process.execPath, ...hostArguments(fileURLToPath(ENTRY), places())];
  const command = words.map((word) => `'${word}'`).join(' ');
  systemctl(`(sleep 0.3; exec ${command}) > ${folder}/said 2>&1 & echo $! > ${folder}/pid`);
  const { host, started } = await connect();
  expect([started, calls()[0]]).toEqual([true, `--user start ${UNIT}`]);
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  expect(processInfo(pid)?.parent).not.toBe(process.pid);
  await host.shutdown();
  await eventually('the host has ended', () => (processInfo(pid)?.state ?? 'Z') === 'Z');
});

test('what systemd says against the unit is passed on', async () => {
  systemctl(`echo 'Unit ${UNIT} not found.' >&2; exit 5`);
  await expect(connect()).rejects.toThrow(`systemd does not start ${UNIT}: Unit ${UNIT} not found.`);
  expect(calls()).toEqual([`--user start ${UNIT}`]);
});

test('a unit that ends without listening is tried again, and then its journal is named', async () => {
  systemctl(`true > ${folder}/said 2>&1 & echo $! > ${folder}/pid; wait`);
  await expect(connect()).rejects.toThrow(`journalctl --user-unit ${UNIT}`);
  expect(calls().filter((call) => call.includes('start')).length).toBeGreaterThan(1);
});
