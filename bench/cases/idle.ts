import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SLEEP_AFTER_MS } from '../../src/contract/limits.js';
import { eventually } from '../../test/support/processes.js';
import { TmuxControl } from '../peers/tmux-control.js';
import { TmuxServer } from '../peers/tmux-server.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { buildOutput } from '../support/build-output.js';
import type { Cleanup } from '../support/cleanup.js';
import { closeTerminals, createTerminals } from '../support/create-terminals.js';
import { grownBy, type Memory, memoryOf, settledMemory } from '../support/memory.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { requirePtys } from '../support/ptys.js';
import { tempFolder } from '../support/temp-folder.js';
import { openWindows } from '../support/tmux-windows.js';

const TERMINALS = 1_000;
/** Lines that each terminal prints, and that tmux keeps. */
const LINES = 1_000;
/**
 * Terminals created and closed before the first measurement, so that the service's one-time memory is not counted for
 * each terminal. Only a few, since the garbage that they leave in a heap would be subtracted from the others' memory.
 */
const WARM_UP = 4;
const PRINTED_DEADLINE_MS = 120_000;
/** Least wait before a measurement: by then the screens of quiet terminals are packed, and their memory is freed. */
const QUIET_MS = 4 * SLEEP_AFTER_MS;
/** Terminals whose history is read at the end, to check that it is complete. */
const LOOKS = 20;
const KB = 1024;

/** Returns a program that prints a file, deletes the file to report that it is printed, and waits. */
const program = (file: string) => `cat ${file}; rm ${file}; exec cat`;

/**
 * Measures the memory of service and pty host for an idle terminal with 1,000 lines of history, compared with tmux.
 * Runs once, whatever the rounds: 1,000 terminals are 1,000 samples, and a restarted service grows to the same size.
 */
export async function idle({ cleanup, scale, progress }: Bench): Promise<Row[]> {
  const count = Math.round(TERMINALS * scale);
  const folder = tempFolder(cleanup);
  requirePtys(count);
  const service = await startOurs(cleanup);
  progress.note('ours');
  const ours = await inOurs(service, folder, count);
  progress.note('tmux');
  const tmux = await inTmux(cleanup, folder, count);
  const each = (grown: number) => grown / count / KB;
  const name = `memory for each of ${count} idle terminals with ${LINES} lines`;
  const unsettled = [ours, tmux].some(({ hasSettled }) => !hasSettled) ? 'memory had not settled' : undefined;
  return [
    {
      ...{ name, value: each(ours.rss), unit: 'KB' },
      peer: { name: `tmux, history-limit ${LINES}`, value: each(tmux.rss) },
      target: { value: { max: 60 } },
      note: unsettled,
    },
    {
      ...{ name: `${name}, mapped files not counted`, value: each(ours.anonymous), unit: 'KB' },
      peer: { name: `tmux, history-limit ${LINES}`, value: each(tmux.anonymous) },
    },
    { name: `${name}: the pty host's share`, value: each(ours.hostRss), unit: 'KB' },
  ];
}

type Grown = Memory & { hasSettled: boolean };

async function inOurs({ url, api, pids }: OurService, folder: string, count: number) {
  const create = async (some: number) => {
    const files = writeFiles(folder, some);
    const { ids } = await createTerminals(url, some, (index) => ({
      command: ['sh', '-c', program(files[index]!)],
    }));
    await allPrinted(folder);
    return ids;
  };
  await closeTerminals(url, await create(Math.min(WARM_UP, count)));
  const hostBytes = () => memoryOf(pids.slice(1)).rss;
  const before = await settledMemory(pids, { atLeastMs: QUIET_MS });
  const hostBefore = hostBytes();
  const ids = await create(count);
  const after = await settledMemory(pids, { atLeastMs: QUIET_MS });
  const hostRss = hostBytes() - hostBefore;
  for (const id of ids.slice(-LOOKS)) {
    const { body } = await api.get<{ totalLines: number }>(`/api/terminals/${id}/output`);
    if (body.totalLines !== LINES) throw new Error(`${body.totalLines} of ${LINES} lines are kept`);
  }
  return { ...grownBy(before, after), hasSettled: after.hasSettled, hostRss };
}

async function inTmux(cleanup: Cleanup, folder: string, count: number): Promise<Grown> {
  const configuration = `set-option -g history-limit ${LINES}\n`;
  const server = await cleanup.own(TmuxServer.start(configuration), (started) => started.stop());
  const control = await cleanup.own(TmuxControl.attach(server), (attached) => attached.detach());
  const create = async (some: number) => {
    const panes = await openWindows(control, writeFiles(folder, some).map(program));
    await allPrinted(folder);
    return panes;
  };
  const warm = await create(Math.min(WARM_UP, count));
  await control.run(warm.map((pane) => `kill-pane -t ${pane}`));
  const before = await settledMemory([server.pid], { atLeastMs: QUIET_MS });
  const panes = await create(count);
  const after = await settledMemory([server.pid], { atLeastMs: QUIET_MS });
  for (const pane of panes.slice(-LOOKS)) {
    const text = await server.run(['capture-pane', '-p', '-S', `-${LINES}`, '-t', pane]);
    const kept = text.split('\n').filter((line) => line !== '').length;
    if (kept !== LINES) throw new Error(`tmux has kept ${kept} of ${LINES} lines`);
  }
  return { ...grownBy(before, after), hasSettled: after.hasSettled };
}

/** Writes a file for each terminal, no two with the same lines. */
function writeFiles(folder: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const file = join(folder, `output-${index}`);
    writeFileSync(file, buildOutput(index, LINES));
    return file;
  });
}

/** Resolves once all files are printed: each terminal deletes its file after printing it. */
function allPrinted(folder: string): Promise<void> {
  const hasPrinted = () => readdirSync(folder).length === 0;
  return eventually('all terminals have printed their lines', hasPrinted, PRINTED_DEADLINE_MS);
}
