import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandList } from '#dist/contract/command.js';
import type { BatchRunAnswer, RunResult } from '#dist/contract/run.js';
import type { Terminal } from '#dist/contract/terminal.js';
import type { Api } from './http.js';

export interface RunOptions {
  waitFor?: 'all' | 'any' | number;
  timeoutMs?: number;
  maxBytes?: number;
  idleMs?: number;
}

/** Creates a terminal that runs a program; resolves with its id. */
export async function openTerminal(api: Api, command: string[], more: object = {}): Promise<string> {
  const { status, body } = await api.post<Terminal>('/api/terminals', { command, ...more });
  if (status !== 200) throw new Error(`create answered ${status}: ${JSON.stringify(body)}`);
  return body.id;
}

/** Runs a command in terminals by `batch/run`. */
export async function runInAll(
  api: Api,
  terminalIds: string[],
  command: string,
  options: RunOptions = {},
): Promise<BatchRunAnswer> {
  const { status, body } = await api.post<BatchRunAnswer>('/api/terminals/batch/run', {
    ...{ terminalIds, command, timeoutMs: 30_000 },
    ...options,
  });
  if (status !== 200) throw new Error(`batch/run answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Runs a command in one terminal by `batch/run`. */
export async function runIn(
  api: Api,
  id: string,
  command: string,
  options: RunOptions = {},
): Promise<RunResult> {
  const { results } = await runInAll(api, [id], command, options);
  return results[0]!;
}

/** Resolves with the text that a terminal has printed last. */
export async function shownIn(api: Api, id: string): Promise<string> {
  const { body } = await api.get<{ raw: string }>(`/api/terminals/${id}/output?lines=200`);
  return body.raw;
}

/** Resolves with a terminal's commands and their exit codes, the first at the start, as `true = 0`. */
export async function commandsIn(api: Api, id: string): Promise<string[]> {
  const { body } = await api.get<CommandList>(`/api/terminals/${id}/commands?limit=50`);
  return body.commands.map(({ commandLine, exitCode }) => `${commandLine} = ${exitCode}`).reverse();
}

/** Cancels every run in progress: runs go on after their clients have left. */
export async function cancelRuns(api: Api): Promise<void> {
  const { body } = await api.get<{ runs: { runId: string; state: string }[] }>('/api/runs?limit=1000');
  const running = body.runs.filter(({ state }) => state === 'running');
  await Promise.all(running.map(({ runId }) => api.post(`/api/runs/${runId}/cancel`)));
}

/**
 * Prepares a home so that shells skip their first-use work: otherwise zsh asks questions, and fish reads all manual
 * pages.
 */
export async function settleHome(home: string): Promise<void> {
  await writeFile(join(home, '.zshrc'), '');
  await mkdir(join(home, '.local/share/fish/generated_completions'), { recursive: true });
}
