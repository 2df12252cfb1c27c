import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { RunResult } from '#dist/contract/run.js';
import type { RestartedService } from './restarted-service.js';
import { openTerminal } from './runs.js';

/** What one client does in a terminal that others use, too. */
export type Step =
  /** Runs a command with this exit code; the next step does not wait for it. */
  | { kind: 'run'; code: number; slow: boolean }
  /** Executes one, as a client does that waits for nothing. */
  | { kind: 'execute'; code: number }
  /** Types a part of a line that must never run. */
  | { kind: 'draft'; keys: string }
  /** Waits for all runs that have begun. */
  | { kind: 'settle' };

const code = fc.integer({ min: 1, max: 120 });

/**
 * Steps of two clients that run, a third that executes and a fourth that types. Where the fourth begins a search of the
 * history, the third does not execute: what it types would belong to the search, and its Enter might run a draft. It
 * cannot end the search: a terminal that still reads line by line takes the keys for that away.
 */
export const steps: fc.Arbitrary<Step[]> = fc.oneof(
  stepsOf(['', '\x1b[D'], { executes: 2 }),
  stepsOf(['', '\x1b[D', '\x12'], { executes: 0 }),
);

/** @param weights - how often a step of that kind comes beside the others, 8 altogether */
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

/** Plays steps in a terminal of its own, and holds what was answered against what ran. Requests carry keys. */
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
  // fish drops what is typed before its first prompt.
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
      // What others have typed is theirs: it is dropped here, since `execute` appends to it.
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
  // Whatever was typed before has been read by now.
  await run('last', 'true');
  const names = (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  const told = JSON.stringify({ script, results, names });
  // `execute` appends to what stands in the line, as it always has: it may submit a draft, and a run may not.
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
