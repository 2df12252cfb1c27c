import { randomInt } from 'node:crypto';
import type { BatchRunBody, RunHead, RunResult } from '../../contract/run.js';
import { hrMs } from '../../workers/clock.js';
import type { KeptRun } from './kept-run.js';

/** A command for one terminal. */
export interface SingleRun {
  terminalId: string;
  command: string;
  timeoutMs: number;
  /** Closes the terminal once the command has ended, or failed. */
  closes: boolean;
  runId: string;
  asked: AskedBy;
}

/** The principal that asked for a run, and how the run wants to pass the input gate. */
type AskedBy = Pick<KeptRun, 'who' | 'wish'>;

/** State of a command in one terminal. */
export type SingleResult = Pick<RunResult, 'done' | 'exitCode'> & { screen: string };

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Returns `run_` and 12 characters of [0-9a-z]. */
export function newRunId(): string {
  return `run_${Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}

/** Returns the record of a run that begins now. */
export function newRun(
  runId: string,
  {
    command,
    timeoutMs,
    idleMs,
    maxBytes,
    whenLeft,
  }: Pick<KeptRun, 'command'> &
    Pick<BatchRunBody, 'timeoutMs' | 'idleMs' | 'maxBytes'> &
    Partial<Pick<BatchRunBody, 'whenLeft'>>,
): Omit<KeptRun, 'terminalIds' | 'origin' | 'closes'> {
  const begunAt = hrMs();
  const times = { createdAt: Date.now(), begunAt, endsAt: begunAt + timeoutMs };
  const dropped = whenLeft === 'drop' && { whenLeft };
  return { runId, state: 'running', ...times, command, idleMs, maxBytes, bytes: 0, ...dropped };
}

/** Returns the entry of a run in a list. */
export function headOf({ runId, state, command, createdAt, terminalIds }: KeptRun): RunHead {
  const common = typeof command === 'string' ? command : null;
  return { runId, state, command: common, createdAt, terminals: terminalIds.length };
}

/** Returns the command of a request, or a command for each of its terminals. */
export function commandOf({ runs, command }: BatchRunBody): KeptRun['command'] {
  if (runs) return runs.map((own) => own.command);
  if (command === undefined) throw new Error('a run without a command');
  return command;
}

/**
 * Returns how many terminals must be done for an answer. With `all`, a failure in one terminal does not end the wait
 * for the others.
 */
export function neededOf({ waitFor }: BatchRunBody, total: number): number {
  if (waitFor === 'all') return total;
  return waitFor === 'any' ? 1 : waitFor;
}
