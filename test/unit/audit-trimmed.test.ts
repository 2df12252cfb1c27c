import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuditLog } from '../../src/store/audit/audit-log.js';
import { readAudit } from '../../src/store/audit/read-audit.js';
import { verifyAudit } from '../../src/store/audit/verify-audit.js';

const DAY_MS = 86_400_000;
/** More turns of the event loop than a check of the log takes. */
const MAX_TURNS = 40;

let folder: string;
let log: AuditLog;
let keeping: { maxBytes: number; keepDays: number };
let time: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-audit-'));
  keeping = { maxBytes: 0, keepDays: 0 };
  time = DAY_MS;
  log = new AuditLog({
    folder,
    keeping: () => keeping,
    onSyncFault: (fault) => expect.fail(String(fault)),
    now: () => time,
  });
  for (let day = 0; day < 5; day++) appendDay();
});
afterEach(async () => {
  await log.close();
  await rm(folder, { recursive: true });
});

/** Adds two lines, in a file of their own. */
function appendDay(): void {
  time += DAY_MS;
  for (let line = 0; line < 2; line++) log.append({ action: 'type' });
}

/** Deletes all files but the last. */
function trim(): void {
  keeping.maxBytes = 1;
  log.trim();
  keeping.maxBytes = 0;
}

describe('a log that is trimmed while it is read', () => {
  it('is whole for a check, whenever that happens', async () => {
    const firsts = new Set<number>();
    for (let turns = 0; turns < MAX_TURNS; turns++) {
      const checked = verifyAudit(folder);
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      trim();
      const { isWhole, fault, first } = await checked;
      expect({ isWhole, fault }).toEqual({ isWhole: true, fault: undefined });
      firsts.add(first);
      for (let day = 0; day < 4; day++) appendDay();
    }
    expect(firsts.size).toBeGreaterThan(1);
  });

  it('is read up to its end, though all files are gone that were there at first', async () => {
    const lines = readAudit(folder);
    const first = await lines.next();
    expect(JSON.parse(first.value!.text)).toMatchObject({ n: 1 });
    trim();
    appendDay();
    trim();
    const left: number[] = [];
    for await (const { text } of lines) left.push(JSON.parse(text).n);
    expect(left).toEqual([2, 12, 13, 14]);
  });

  it('is not whole for a check if another file than the oldest is taken away', async () => {
    const files = await readdir(folder);
    const lines = readAudit(folder);
    await lines.next();
    await rm(join(folder, files[2]!));
    const left: number[] = [];
    for await (const { text } of lines) left.push(JSON.parse(text).n);
    expect(left).toEqual([2, 3, 4, 7, 8, 9, 10]);
    expect(await verifyAudit(folder)).toMatchObject({ isWhole: false, last: 4 });
  });
});
