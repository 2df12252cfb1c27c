import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Audit } from '../../src/actors/audit/audit.js';
import { AuditLog } from '../../src/store/audit/audit-log.js';

const DAY_MS = 86_400_000;
const MANY = 20_000;
const NEW = 50;

/** Opens an audit log on a clock that the test sets. */
async function openAudit() {
  const folder = await mkdtemp(join(tmpdir(), 'at-followed-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const settings = { enabled: true, required: false, text: 'none' as const, maxBytes: 0, keepDays: 0 };
  const clock = { now: DAY_MS };
  const failing = { error: (fault: object) => expect.fail(JSON.stringify(fault)), info: () => {} };
  const audit = new Audit({
    open: () =>
      new AuditLog({
        ...{ folder, keeping: () => settings, now: () => clock.now },
        onSyncFault: (fault) => expect.fail(String(fault)),
      }),
    ...{ folder, settings: () => settings, logger: failing },
    secretsOf: () => expect.fail('no text is typed'),
  });
  onTestFinished(() => audit.close());
  const add = (status: number) => audit.add({ action: 'POST /x', status } as never);
  return { audit, clock, settings, add };
}

/** Bytes that this process has read from files. */
async function readBytes(): Promise<number> {
  return Number(/^rchar: (\d+)/.exec(await readFile('/proc/self/io', 'utf8'))?.[1]);
}

test.skipIf(process.platform !== 'linux')('who follows the log reads each line once', async () => {
  const { audit, clock, add } = await openAudit();
  for (let index = 0; index < MANY; index++) add(index);
  const ending = new AbortController();
  const lines = audit.lines({}, ending.signal);
  for (let index = 0; index <= MANY; index++) await lines.next();
  const before = await readBytes();
  for (let index = 0; index < NEW; index++) {
    // A new day begins a new file.
    if (index === NEW / 2) clock.now += DAY_MS;
    const next = lines.next();
    add(MANY + index);
    expect(JSON.parse((await next).value as string)).toMatchObject({ status: MANY + index });
  }
  expect((await readBytes()) - before).toBeLessThan(1_000_000);
  ending.abort();
  expect((await lines.next()).done).toBe(true);
});

test('who follows the log goes on where the file that was read is gone', async () => {
  const { audit, clock, settings, add } = await openAudit();
  add(1);
  const ending = new AbortController();
  const lines = audit.lines({ action: 'POST' }, ending.signal);
  expect(JSON.parse((await lines.next()).value as string)).toMatchObject({ status: 1 });
  const next = lines.next();
  for (const status of [2, 3]) {
    clock.now += DAY_MS;
    add(status);
  }
  settings.maxBytes = 1;
  audit.settingsChanged();
  add(4);
  const found = [await next, await lines.next()].map(({ value }) => JSON.parse(value as string).status);
  expect(found.at(-1)).toBe(4);
  ending.abort();
});
