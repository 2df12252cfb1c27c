import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BatchAnswer } from '../../src/contract/execute.js';
import type { BatchRunAnswer } from '../../src/contract/run.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { buildOutput } from '../support/build-output.js';
import { metered } from '../support/cpu.js';
import { closeTerminals, createTerminals } from '../support/create-terminals.js';
import { grownBy, memoryOf, settledMemory } from '../support/memory.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { requirePtys } from '../support/ptys.js';
import { tempFolder } from '../support/temp-folder.js';

const SHELLS = 200;
const SIZE = { cols: 100, rows: 30 };
/** Lines that fill the scrollback before the measurement, and lines that each command prints. */
const FILL_LINES = 1_000;
const COMMAND_LINES = 8;
/** Time between two commands of a shell. The shells run them in PARTS groups in turn, so that the work is spread. */
const EVERY_MS = 2_000;
const PARTS = 10;
const AT_WORK_MS = 90_000;
/** Shells created and closed before the first memory is read, so that one-time memory is not counted. */
const WARM_UP = 4;
/** Least time before the first memory is read: a service that was busy returns its memory within 13 s. */
const QUIET_MS = 24_000;
const KB = 1024;

/** Measures the memory of shells with a full scrollback that run a command every two seconds. */
export async function shells(bench: Bench): Promise<Row[]> {
  const { cleanup, scale, progress } = bench;
  const count = Math.max(PARTS, Math.round(SHELLS * scale));
  requirePtys(count);
  const folder = tempFolder(cleanup);
  const [fill, some] = [FILL_LINES, COMMAND_LINES].map((lines) => {
    const file = join(folder, `${lines}-lines`);
    writeFileSync(file, buildOutput(lines, lines));
    return `cat ${file}`;
  });
  const service = await startOurs(cleanup);
  await closeTerminals(service.url, await filled(service, WARM_UP, fill!));
  const before = await settledMemory(service.pids, { atLeastMs: QUIET_MS });
  progress.note('filling');
  const ids = await filled(service, count, fill!);
  progress.note('at work');
  const { cpu, seconds } = await metered(service.pids, () => atWork(service, ids, some!, AT_WORK_MS * scale));
  const grown = grownBy(before, memoryOf(service.pids));
  const name = `${count} shells with ${FILL_LINES} lines, a command every ${EVERY_MS / 1_000} s`;
  return [
    {
      ...{ name: `${name}: memory for each, PSS`, value: grown.pss / count / KB, unit: 'KB' },
      target: { value: { max: 400 } },
    },
    { name: `${name}: CPU`, value: (cpu / seconds) * 100, unit: '% of a core' },
  ];
}

/** Starts shells, and resolves with their ids once each has printed the file. */
async function filled({ url, api }: OurService, count: number, command: string): Promise<string[]> {
  const { ids } = await createTerminals(url, count, () => ({ command: ['bash', '--norc'], ...SIZE }));
  const { body } = await api.post<BatchRunAnswer>('/api/terminals/batch/run', { terminalIds: ids, command });
  const done = body.results.filter(({ exitCode }) => exitCode === 0).length;
  if (done !== count) throw new Error(`${done} of ${count} shells have printed the file`);
  return ids;
}

async function atWork({ api }: OurService, ids: readonly string[], command: string, ms: number) {
  const end = performance.now() + ms;
  for (let turn = 0, next = performance.now(); next < end; turn++) {
    const terminalIds = ids.filter((_, index) => index % PARTS === turn % PARTS);
    const body = { terminalIds, prompt: command, cliType: 'default' };
    const answer = await api.post<BatchAnswer>('/api/terminals/batch/execute', body);
    if (answer.body.summary?.succeeded !== terminalIds.length)
      throw new Error(`not all terminals took the batch: ${JSON.stringify(answer.body).slice(0, 500)}`);
    next += EVERY_MS / PARTS;
    await delay(Math.max(0, next - performance.now()));
  }
}
