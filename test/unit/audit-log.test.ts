import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { AuditLog } from '../../src/store/audit/audit-log.js';
import { readAudit } from '../../src/store/audit/read-audit.js';
import { verifyAudit } from '../../src/store/audit/verify-audit.js';
import { smallDisk } from '../support/small-disk.js';

const EVERYTHING = { maxBytes: 0, keepDays: 0 };
const DAY_MS = 86_400_000;

let folder: string;
let faults: unknown[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-audit-'));
  faults = [];
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  expect(faults).toEqual([]);
});

const open = (keeping = EVERYTHING, now?: () => number) =>
  new AuditLog({
    folder,
    keeping: () => keeping,
    onSyncFault: (fault) => faults.push(fault),
    ...(now && { now }),
  });

async function linesOf(from?: number): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  for await (const { text } of readAudit(folder, from)) lines.push(JSON.parse(text));
  return lines;
}

/** Makes a log of this many lines, and returns the path of its only file. */
async function logOf(count: number): Promise<string> {
  const log = open();
  for (let index = 0; index < count; index++) log.append({ action: 'type', index });
  await log.close();
  return join(folder, (await readdir(folder))[0]!);
}

describe('an audit log', () => {
  test('numbers its lines, chains them, and goes on after a restart', async () => {
    await logOf(3);
    const log = open();
    expect(log.last).toBe(3);
    expect(log.append({ action: 'close', terminalId: 'term_1' })).toBe(4);
    await log.close();
    expect((await linesOf()).map(({ n }) => n)).toEqual([1, 2, 3, 4]);
    expect((await linesOf(4)).at(-1)).toMatchObject({ n: 4, action: 'close', terminalId: 'term_1' });
    expect(await verifyAudit(folder)).toEqual({ isWhole: true, first: 1, last: 4 });
  });

  test('stays in order though the clock is set back', async () => {
    const times = [500, 100, 600];
    const log = open(EVERYTHING, () => times.shift()!);
    for (let index = 0; index < 3; index++) log.append({ action: 'type' });
    await log.close();
    expect((await linesOf()).map(({ at }) => at)).toEqual([500, 500, 600]);
  });

  test('begins another file each day, and when one is large', async () => {
    let time = 10 * DAY_MS;
    const log = open(EVERYTHING, () => time);
    log.append({ action: 'type' });
    time += DAY_MS;
    log.append({ action: 'type' });
    const text = 'x'.repeat(1024 * 1024);
    for (let index = 0; index < 9; index++) log.append({ action: 'type', text });
    await log.close();
    expect(await readdir(folder)).toEqual(['000000000001.jsonl', '000000000002.jsonl', '000000000011.jsonl']);
    expect(await verifyAudit(folder)).toEqual({ isWhole: true, first: 1, last: 11 });
  });

  test('deletes old files by age and by size, and says so', async () => {
    let time = Date.now();
    const keeping = { maxBytes: 0, keepDays: 0 };
    const log = open(keeping, () => time);
    for (let day = 0; day < 5; day++) {
      log.append({ action: 'type', text: 'x'.repeat(1_000) });
      time += DAY_MS;
    }
    for (const [index, file] of (await readdir(folder)).entries()) {
      const changed = new Date(time - (index === 0 ? 3 : 1) * DAY_MS);
      await utimes(join(folder, file), changed, changed);
    }
    keeping.keepDays = 2;
    log.trim();
    expect((await linesOf())[0]).toMatchObject({ n: 2 });
    expect((await linesOf()).at(-1)).toMatchObject({ n: 6, action: 'audit.trimmed', first: 2 });
    keeping.maxBytes = 2_000;
    log.trim();
    expect((await linesOf()).map(({ n }) => n)).toEqual([5, 6, 7]);
    await log.close();
    expect(await verifyAudit(folder)).toEqual({ isWhole: true, first: 5, last: 7 });
    // What the log itself has not deleted is missing.
    const [file] = await readdir(folder);
    await rm(join(folder, file!));
    const fault = { file: '000000000006.jsonl', row: 1, why: 'lines before it are missing' };
    expect(await verifyAudit(folder)).toEqual({ isWhole: false, first: 0, last: 0, fault });
  });

  test('is not continued after a last line that is none', async () => {
    const path = await logOf(2);
    await appendFile(path, 'something else\n');
    expect(open).toThrow('no line of an audit log');
  });
});

describe('verifying', () => {
  test('finds each line that was changed, removed, added or moved', async () => {
    const path = await logOf(6);
    const whole = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const at = fc.nat(whole.length - 1);
    const changed = fc.oneof(
      fc.record({ what: fc.constant('removed' as const), at: fc.nat(whole.length - 2) }),
      fc.record({ what: fc.constant('beheaded' as const), at: fc.nat(whole.length - 2) }),
      fc.record({ what: fc.constantFrom('doubled' as const, 'changed' as const), at }),
      fc.record({ what: fc.constant('swapped' as const), at: fc.nat(whole.length - 2) }),
    );
    await fc.assert(
      fc.asyncProperty(changed, async ({ what, at: place }) => {
        const lines = [...whole];
        if (what === 'removed') lines.splice(place, 1);
        if (what === 'beheaded') lines.splice(0, place + 1);
        if (what === 'doubled') lines.splice(place, 0, lines[place]!);
        if (what === 'swapped') lines.splice(place, 2, lines[place + 1]!, lines[place]!);
        if (what === 'changed') lines[place] = lines[place]!.replace('"type"', '"typf"');
        await writeFile(path, `${lines.join('\n')}\n`);
        const { isWhole, last } = await verifyAudit(folder);
        // Nothing follows the last line, so this change cannot be detected.
        expect(isWhole).toBe(what === 'changed' && place === whole.length - 1);
        if (!isWhole) expect(last).toBeLessThanOrEqual(place + 2);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a log whose end is torn', () => {
  test('is continued after its last whole line, wherever it is cut', async () => {
    const whole = await readFile(await logOf(4));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), async (length) => {
        for (const file of await readdir(folder)) await rm(join(folder, file));
        const path = join(folder, '000000000001.jsonl');
        await writeFile(path, whole);
        await truncate(path, length);
        const kept = whole.subarray(0, length).toString().split('\n').length - 1;
        const isTorn = length > 0 && whole[length - 1] !== 0x0a;
        const log = open();
        log.append({ action: 'close' });
        await log.close();
        const actions = (await linesOf()).map(({ action }) => action);
        const mended = isTorn ? ['audit.mended'] : [];
        expect(actions).toEqual([...Array.from({ length: kept }, () => 'type'), ...mended, 'close']);
        expect(await verifyAudit(folder)).toMatchObject({ isWhole: true, last: actions.length });
      }),
      { numRuns: 60 },
    );
  });
});

test('a full disk: the line is refused whole, and the log goes on once there is room', async (context) => {
  const disk = smallDisk(1);
  if (!disk) return context.skip('only root can mount a disk');
  onTestFinished(() => disk.remove());
  folder = join(disk.path, 'audit');
  const log = open();
  log.append({ action: 'type' });
  disk.fill();
  expect(() => log.append({ action: 'type', text: 'x'.repeat(5_000) })).toThrow('ENOSPC');
  disk.makeRoom();
  expect(log.append({ action: 'close' })).toBe(2);
  await log.close();
  expect((await linesOf()).map(({ action }) => action)).toEqual(['type', 'close']);
  expect(await verifyAudit(folder)).toEqual({ isWhole: true, first: 1, last: 2 });
});

test('a killed process leaves each line that it has told of, and a whole chain', async () => {
  const script = `
    import { AuditLog } from ${JSON.stringify(new URL('../../dist/src/store/audit/audit-log.js', import.meta.url).href)};
    const keeping = () => ({ maxBytes: 0, keepDays: 0 });
    const log = new AuditLog({ folder: process.argv[1], keeping, onSyncFault: () => {} });
    const append = () => log.append({ action: 'type', text: 'x'.repeat(500) });
    // Without a turn of the event loop, Node 24 keeps for itself what the pipe has no room for.
    const tell = () => process.stdout.write(append() + '\\n', tell);
    tell();`;
  for (let round = 0; round < 3; round++) {
    const args = ['--input-type=module', '-e', script, folder];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let told = 0;
    const lines = createInterface({ input: child.stdout }).on('line', (line) => {
      told = Number(line);
      if (told % 500 === 0) child.kill('SIGKILL');
    });
    await once(lines, 'close');
    const { isWhole, last } = await verifyAudit(folder);
    expect([isWhole, last >= told]).toEqual([true, true]);
  }
});
