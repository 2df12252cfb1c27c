import { create } from 'zustand';
import type { RunHandle, RunStreamEvent } from '../../../src/client/browser.js';
import { service, wordsOf } from '../service.js';
import type { BatchRow } from './groups.js';
import { outputAfter } from './pieces.js';

interface BatchState {
  command: string;
  state: 'none' | 'running' | 'cancelling' | 'over';
  /** Reason why the run could not be started or followed. */
  error: string | undefined;
  rows: ReadonlyMap<string, BatchRow>;
}

/** The last run, which goes on while another page is shown. */
export const useBatch = create<BatchState>(() => ({
  command: '',
  state: 'none',
  error: undefined,
  rows: new Map(),
}));

export interface BatchOrder {
  command: string;
  select: string | readonly string[];
  /** Names of the terminals by id. */
  names: ReadonlyMap<string, string>;
  timeoutMs: number;
}

/** Results that come within this time are shown together. */
const GATHER_MS = 100;

let current: RunHandle | undefined;

/** Runs a command, and shows its results as they arrive. With `keepsRows`, rows of terminals that do not run it stay. */
export async function runBatch(order: BatchOrder, { keepsRows = false } = {}): Promise<void> {
  const { command, select, names, timeoutMs } = order;
  const fresh = [...names].map(([terminalId, name]): [string, BatchRow] => [
    terminalId,
    { terminalId, name, output: '', result: undefined },
  ]);
  const before = keepsRows ? useBatch.getState().rows : [];
  const rows = new Map([...before, ...fresh]);
  useBatch.setState({ command, state: 'running', error: undefined, rows });
  try {
    current = await service.select(select).start(command, { timeoutMs });
    await follow(current, names);
    useBatch.setState({ state: 'over' });
  } catch (error) {
    useBatch.setState({
      state: 'over',
      error: wordsOf(error),
      rows: current ? withoutWord(useBatch.getState().rows) : new Map(before),
    });
  } finally {
    current = undefined;
  }
}

/** Marks the rows that will get no result: their outcome is unknown. */
function withoutWord(rows: ReadonlyMap<string, BatchRow>): Map<string, BatchRow> {
  const unknown = { success: true, done: true, exitCode: null, reason: 'untold', durationMs: null } as const;
  return new Map(
    [...rows].map(([terminalId, row]) => [
      terminalId,
      row.result
        ? row
        : {
            ...row,
            result: { terminalId, ...unknown, truncated: false, integration: 'none', waitedBy: null },
          },
    ]),
  );
}

/** Types the command in no further terminal, and interrupts it where it runs. */
export async function cancelBatch(): Promise<void> {
  if (!current) return;
  useBatch.setState({ state: 'cancelling' });
  await current.cancel();
}

async function follow(run: RunHandle, names: ReadonlyMap<string, string>): Promise<void> {
  let gathered: RunStreamEvent[] = [];
  let flushing: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    flushing = undefined;
    take(gathered, names);
    gathered = [];
  };
  try {
    for await (const event of run.stream()) {
      gathered.push(event);
      flushing ??= setTimeout(flush, GATHER_MS);
    }
  } catch {
    // The stream breaks with the connection; the run goes on, and its results are awaited below.
  } finally {
    // Shown later, it would be appended to the final output.
    clearTimeout(flushing);
    flush();
  }
  const { results } = await run.ended();
  // Terminals of a selector that have exited in the meantime ran nothing, and have no result.
  const ran = new Set(results.map(({ terminalId }) => terminalId));
  useBatch.setState(({ rows: before }) => {
    const rows = new Map([...before].filter(([id]) => ran.has(id) || !names.has(id)));
    for (const { raw, ...result } of results) {
      const { terminalId } = result;
      const name = rows.get(terminalId)?.name ?? terminalId;
      rows.set(terminalId, { terminalId, name, output: raw, result });
    }
    return { rows };
  });
}

function take(events: readonly RunStreamEvent[], names: ReadonlyMap<string, string>): void {
  useBatch.setState(({ rows: before }) => {
    const rows = new Map(before);
    for (const event of events) {
      if (event.type === 'end') continue;
      const { terminalId } = event;
      const known = rows.get(terminalId);
      const row = known ?? {
        terminalId,
        name: names.get(terminalId) ?? terminalId,
        output: '',
        result: undefined,
      };
      if (event.type === 'result') {
        const { type: _, raw: __, ...result } = event;
        rows.set(terminalId, { ...row, result });
      } else {
        rows.set(terminalId, { ...row, output: outputAfter(row.output, event) });
      }
    }
    return { rows };
  });
}
