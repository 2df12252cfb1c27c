import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { RunResult } from '#dist/contract/run.js';
import type { Api } from './http.js';
import { eventually } from './processes.js';
import { openTerminal, runIn } from './runs.js';

/** What one client does in a terminal that others use, too. */
export type Step =
  /** Runs a command with this exit code; the next step does not wait for it. */
  | { kind: 'run'; code: number; slow: boolean }
  /** Executes one, as a client does that waits for nothing. */
  | { kind: 'execute'; code: number }
  /** Types a part of a line that must never run. */
  | { kind: 'draft'; keys: string }
  /** Waits for all runs that have begun. */
  | { kind: 'settle' }
  /** The service is killed and comes back. */
  | { kind: 'restart' };

const code = fc.integer({ min: 1, max: 120 });

/** Steps of two clients that run, a third that executes and a fourth that types. */
export function steps(): fc.Arbitrary<Step[]> {
  const one = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('run' as const), code, slow: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('execute' as const), code }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('draft' as const),
        keys: fc.constantFrom('', '\x1b[D', '\x12'),
      }),
    },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'settle' }) },
  );
  return fc.array(one, { minLength: 2, maxLength: 7 });
}

interface Begun {
  code: number;
  name: string;
  result: Promise<RunResult>;
}

/** Plays steps in a terminal of its own, and holds what was answered against what ran. */
export async function play(
  api: Api,
  home: string,
  shell: string,
  number: number,
  script: Step[],
): Promise<void> {
  const id = await openTerminal(api, [shell]);
  // fish drops what is typed before its first prompt.
  if (shell === 'fish') await runIn(api, id, 'true');
  const log = join(home, `log-${number}`);
  const line = (name: string, exit: number) => `sh -c "echo ${name} >> ${log}; exit ${exit}"`;
  const begun: Begun[] = [];
  const executed: string[] = [];
  const type = (data: string) => api.post(`/api/terminals/${id}/input`, { data });
  for (const [index, step] of script.entries()) {
    const name = `${step.kind}-${index}`;
    if (step.kind === 'run') {
      const command = `${step.slow ? 'sleep 0.02; ' : ''}${line(name, step.code)}`;
      begun.push({ code: step.code, name, result: runIn(api, id, command, { timeoutMs: 60_000 }) });
    } else if (step.kind === 'execute') {
      executed.push(name);
      // What others have typed is theirs: it is dropped here, since `execute` appends to it.
      await type('\x07\x05\x15');
      await api.post(`/api/terminals/${id}/execute`, { prompt: line(name, step.code), cliType: 'default' });
    } else if (step.kind === 'draft') {
      await type(`echo draft >> ${log}; ${step.keys}`);
    } else {
      await Promise.all(begun.map(({ result }) => result));
    }
  }
  const results = await Promise.all(begun.map(async ({ result, ...own }) => ({ ...own, ...(await result) })));
  const ran = async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  await eventually('all that was executed has run', async () => {
    const names = await ran();
    return executed.every((name) => names.includes(name));
  });
  const names = await ran();
  const told = JSON.stringify({ script, results, names });
  if (names.includes('draft')) throw new Error(`a draft was run: ${told}`);
  if (new Set(names).size !== names.length) throw new Error(`something ran twice: ${told}`);
  for (const { name, code, success, done, exitCode } of results) {
    if (exitCode !== null && exitCode !== code) throw new Error(`${name} got another's code: ${told}`);
    if (success && done && exitCode === null) throw new Error(`${name} is not known: ${told}`);
    if (success !== names.includes(name)) throw new Error(`${name} is told wrongly of: ${told}`);
  }
  await api.delete(`/api/terminals/${id}`);
}
