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
import { grownBy, type Memory, memoryOf, settledMemory } from '../support/memory.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { requirePtys } from '../support/ptys.js';
import { median } from '../support/stats.js';
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
/** Memory goes up and down by a third between collections, so it is read many times in the second half of the work. */
const SAMPLE_MS = 2_000;
/**
 * Shells that work for a while before the first memory is read, and are closed: the code of a service at work is
 * compiled once, and is no memory of each shell.
 */
const WARM_UP = PARTS;
const WARM_UP_MS = 10_000;
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
  const first = await filled(service, WARM_UP, fill!);
  await atWork(service, { ids: first, command: some!, ms: WARM_UP_MS * scale });
  await closeTerminals(service.url, first);
  const before = await settledMemory(service.pids, { atLeastMs: QUIET_MS });
  progress.note('filling');
  const ids = await filled(service, count, fill!);
  progress.note('at work');
  const samples: Memory[] = [];
  const sample = () => samples.push(grownBy(before, memoryOf(service.pids)));
  const work = { ids, command: some!, ms: AT_WORK_MS * scale, sample };
  const { cpu, seconds } = await metered(service.pids, () => atWork(service, work));
  const each = (kind: keyof Memory) => median(samples.map((grown) => grown[kind])) / count / KB;
  const name = `${count} shells with ${FILL_LINES} lines, a command every ${EVERY_MS / 1_000} s`;
  return [
    {
      ...{ name: `${name}: memory for each, PSS`, value: each('pss'), unit: 'KB' },
      target: { value: { max: 400 } },
    },
    { name: `${name}: of it without a file behind it`, value: each('anonymous'), unit: 'KB' },
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

interface Work {
  ids: readonly string[];
  command: string;
  ms: number;
  /** Called every SAMPLE_MS in the second half. */
  sample?: () => void;
}

async function atWork({ api }: OurService, { ids, command, ms, sample }: Work) {
  const end = performance.now() + ms;
  let sampleAt = end - ms / 2;
  for (let turn = 0, next = performance.now(); next < end; turn++) {
    const terminalIds = ids.filter((_, index) => index % PARTS === turn % PARTS);
    const body = { terminalIds, prompt: command, cliType: 'default' };
    const answer = await api.post<BatchAnswer>('/api/terminals/batch/execute', body);
    if (answer.body.summary?.succeeded !== terminalIds.length)
      throw new Error(`not all terminals took the batch: ${JSON.stringify(answer.body).slice(0, 500)}`);
    if (performance.now() >= sampleAt) {
      sample?.();
      sampleAt += SAMPLE_MS;
    }
    next += EVERY_MS / PARTS;
    await delay(Math.max(0, next - performance.now()));
  }
}
