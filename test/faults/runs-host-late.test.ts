import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { CALL_DEADLINE_MS, HOST_ANSWER_GRACE_MS } from '#dist/contract/limits.js';
import { hostPidOf } from '../support/processes.js';
import { openTerminal, runIn } from '../support/runs.js';
import { useService } from '../support/use-service.js';

const used = useService();

/** Longer than the service waits for an answer of the pty host, as if that had got no processor. */
const STOPPED_MS = CALL_DEADLINE_MS + HOST_ANSWER_GRACE_MS + 2_000;

it.each([
  ['a shell with integration', ['bash'], 'integration'],
  ['a shell without integration', ['sh'], 'sentinel'],
])(
  'a run in %s goes on after the pty host was late with its answer, and runs its command once',
  async (_what, program, waitedBy) => {
    const folder = await mkdtemp(join(tmpdir(), 'at-late-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const id = await openTerminal(used.api, program);
    await runIn(used.api, id, 'true');
    const host = hostPidOf(used.service.home);
    process.kill(host, 'SIGSTOP');
    onTestFinished(() => void process.kill(host, 'SIGCONT'));
    const running = runIn(used.api, id, `echo once >> ${folder}/runs; (exit 7)`, { timeoutMs: 120_000 });
    await delay(STOPPED_MS);
    process.kill(host, 'SIGCONT');
    expect(await running).toMatchObject({ success: true, done: true, exitCode: 7, waitedBy });
    expect(await readFile(join(folder, 'runs'), 'utf8')).toBe('once\n');
  },
);
