import type { BatchRunAnswer, RunResult } from '../../src/contract/run.js';
import type { Terminal } from '../../src/contract/terminal.js';
import type { Answer, Api } from '../../test/support/http.js';
import type { Random } from '../../test/support/random.js';
import { expectSame } from './tally.js';

/** Time limit of one command. */
const RUN_MS = 120_000;

/** A shell that a worker holds. */
export interface Shell {
  id: string;
  /** Value of INDEX in its environment. */
  index: number;
  cols: number;
  rows: number;
  /**
   * Whether the worker's large output is printed in this shell. The shell is not indexed, since the large output would
   * take the search index's rate from the other shells.
   */
  floods: boolean;
}

/** Everything that an action works with. */
export interface Turn {
  api: Api;
  url: string;
  random: Random;
  /** Value of the label `worker` of the worker's terminals. */
  worker: string;
  /** The shells that the worker holds. */
  shells: Shell[];
  /** Returns a text that nothing else in the run prints. */
  token(): string;
}

/** Returns the body of an answer. Throws unless its status is the expected one. */
export function bodyOf<Body>({ status, body }: Answer<Body>, expected = 200): Body {
  if (status !== expected) throw new Error(`answered ${status}, not ${expected}: ${JSON.stringify(body)}`);
  return body;
}

/** Runs a command in one shell. Throws unless the shell ran it, and it ended with this exit code. */
export async function run(
  { api }: Turn,
  { id }: Shell,
  command: string,
  exitCode: number,
): Promise<RunResult> {
  const body = { terminalIds: [id], command, timeoutMs: RUN_MS };
  const { results } = bodyOf(await api.post<BatchRunAnswer>('/api/terminals/batch/run', body));
  const [result] = results;
  const { success, done, exitCode: got } = result ?? {};
  const answer = { terminals: results.length, success, done, exitCode: got };
  expectSame(`run ${command}`, answer, { terminals: 1, success: true, done: true, exitCode });
  return result!;
}

/** Throws if the service still knows the terminal. */
export async function expectGone({ api }: Turn, id: string): Promise<void> {
  const { status } = await api.get(`/api/terminals/${id}`);
  expectSame('status for a closed terminal', status, 404);
}

/** Closes a terminal. Throws if the service still knows it afterwards. */
export async function close(turn: Turn, id: string): Promise<void> {
  bodyOf(await turn.api.delete(`/api/terminals/${id}`));
  await expectGone(turn, id);
}

/** Creates a terminal with an idempotency key. Throws unless a second request with it returns the same terminal. */
export async function createOnce({ api, token }: Turn, body: object): Promise<string> {
  const request = {
    ...{ method: 'POST', path: '/api/terminals', body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json', 'idempotency-key': token() },
  };
  const create = async () => (JSON.parse(bodyOf(await api.raw(request))) as Terminal).id;
  const [first, second] = await Promise.all([create(), create()]);
  expectSame('id of a terminal created again with its key', second, first);
  return first;
}
