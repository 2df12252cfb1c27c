import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { RunResult } from '#dist/contract/run.js';
import type { RestartedService } from './restarted-service.js';
import { openTerminal } from './runs.js';

/** A step of one client in a terminal that other clients use, too. */
export type Step =
  /** Runs a command with this exit code; the next step does not wait for it. */
  | { kind: 'run'; code: number; slow: boolean }
  /** Executes a command, like a client that waits for nothing. */
  | { kind: 'execute'; code: number }
  /** Types a part of a line that must never run. */
  | { kind: 'draft'; keys: string }
  /** Waits for all runs that have begun. */
  | { kind: 'settle' };

const code = fc.integer({ min: 1, max: 120 });

/**
 * Steps of two clients that run, a third that executes and a fourth that types. Where the fourth may begin a search of
 * the history, the third does not execute: its text would become part of the search, and its Enter might run a draft.
 * The third cannot end the search first: a terminal that still reads line by line consumes the keys for that.
 */
export const steps: fc.Arbitrary<Step[]> = fc.oneof(
  stepsOf(['', '\x1b[D'], { executes: 2 }),
  stepsOf(['', '\x1b[D', '\x12'], { executes: 0 }),
);

/** @param weights - weights of the kinds of steps that vary; the other kinds have 8 altogether */
function stepsOf(typed: string[], weights: { executes: number }): fc.Arbitrary<Step[]> {
  const keys = fc.constantFrom(...typed);
  const one = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('run' as const), code, slow: fc.boolean() }) },
    { weight: weights.executes, arbitrary: fc.record({ kind: fc.constant('execute' as const), code }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('draft' as const), keys }) },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'settle' }) },
  );
  return fc.array(one, { minLength: 2, maxLength: 7 });
}

interface Begun {
  code: number;
  name: string;
  result: Promise<RunResult>;
}

/** Plays steps in a terminal of its own, and checks the answers against the commands that ran. Requests carry keys. */
export async function play(
  service: RestartedService,
  shell: string,
  number: string,
  script: Step[],
): Promise<void> {
  const { restarts } = service;
  const post = <Body>(step: string, path: string, body: object) =>
    service.post<Body>(`${number}-${step}`, path, body);
  const id = await service.once((api) => openTerminal(api, [shell]));
  const run = async (name: string, command: string): Promise<RunResult> => {
    const body = { terminalIds: [id], command, timeoutMs: 60_000 };
    const { results } = await post<{ results: RunResult[] }>(name, '/api/terminals/batch/run', body);
    return results[0]!;
  };
  // fish drops input that comes before its first prompt.
  if (shell === 'fish') await run('first', 'true');
  const log = join(service.home, `log-${number}`);
  const line = (name: string, exit: number) => `sh -c "echo ${name} >> ${log}; exit ${exit}"`;
  const begun: Begun[] = [];
  const type = (step: string, data: string) => post(step, `/api/terminals/${id}/input`, { data });
  for (const [index, step] of script.entries()) {
    const name = `${step.kind}-${index}`;
    if (step.kind === 'run') {
      const command = `${step.slow ? 'sleep 0.02; ' : ''}${line(name, step.code)}`;
      begun.push({ code: step.code, name, result: run(name, command) });
    } else if (step.kind === 'execute') {
      // Clears the line first: `execute` would append to the draft of another client.
      await type(`${name}-clear`, '\x07\x05\x15');
      const prompt = { prompt: line(name, step.code), cliType: 'default' };
      await post(name, `/api/terminals/${id}/execute`, prompt);
    } else if (step.kind === 'draft') {
      await type(name, `echo draft >> ${log}; ${step.keys}`);
    } else {
      await Promise.all(begun.map(({ result }) => result));
    }
  }
  const results = await Promise.all(begun.map(async ({ result, ...own }) => ({ ...own, ...(await result) })));
  // Once this run has ended, the shell has read all earlier input.
  await run('last', 'true');
  const names = (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  const told = JSON.stringify({ script, results, names });
  // `execute` appends to the content of the line, as it always has: it may submit a draft, and a run may not.
  const isSubmitted = (index: number) => /^(draft|execute-)/.test(names[index + 1] ?? '');
  if (names.some((name, index) => name === 'draft' && !isSubmitted(index)))
    throw new Error(`a draft was run: ${told}`);
  const own = names.filter((name) => name !== 'draft');
  if (new Set(own).size !== own.length) throw new Error(`something ran twice: ${told}`);
  for (const { name, code, success, done, exitCode, reason } of results) {
    if (exitCode !== null && exitCode !== code) throw new Error(`${name} got another's code: ${told}`);
    const isUnknown = success && done && exitCode === null;
    if (isUnknown && !(service.restarts > restarts && reason))
      throw new Error(`${name} is not known: ${told}`);
    if (success !== names.includes(name)) throw new Error(`${name} is told wrongly of: ${told}`);
  }
  await service.once((api) => api.delete(`/api/terminals/${id}`));
}
