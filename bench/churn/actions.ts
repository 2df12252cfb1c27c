import { setTimeout as delay } from 'node:timers/promises';
import type { BatchRunAnswer } from '../../src/contract/run.js';
import type { Terminal, TerminalSize } from '../../src/contract/terminal.js';
import type { WaitAnswer } from '../../src/contract/wait.js';
import { expectSame } from './tally.js';
import { bodyOf, close, createOnce, expectGone, run, type Shell, type Turn } from './turn.js';

const WAIT_MS = 120_000;
/** Exit codes of commands are below this, since the highest codes report signals. */
const CODES = 120;
const LINES = 300;

/** Opens a shell with a size and a label. */
export async function open(turn: Turn): Promise<void> {
  const { random, shells, worker } = turn;
  const [index, cols, rows] = [random.below(CODES), 60 + random.below(100), 10 + random.below(40)];
  // The first shell of a worker takes the large output.
  const floods = !shells.some((shell) => shell.floods);
  const body = { command: ['bash', '--norc'], env: { INDEX: String(index) }, labels: { worker }, cols, rows };
  const id = await createOnce(turn, { ...body, index: !floods });
  shells.push({ id, index, cols, rows, floods });
}

/** Runs a command, and compares its exit code and its output. */
export async function command(turn: Turn, shell: Shell): Promise<void> {
  const [token, code] = [turn.token(), turn.random.below(CODES)];
  const { raw } = await run(turn, shell, `echo ${token}; (exit ${code})`, code);
  expectSame('output of a run', raw.trimEnd(), token);
}

/** Runs a command in all shells of the worker at once, each with an exit code of its own. */
export async function commandInAll({ api, worker, shells, token }: Turn): Promise<void> {
  const text = token();
  const line = `echo ${text}-$INDEX; (exit $INDEX)`;
  const body = { selector: `worker=${worker}`, command: line, timeoutMs: WAIT_MS };
  const { results } = bodyOf(await api.post<BatchRunAnswer>('/api/terminals/batch/run', body));
  const told = results.map(({ terminalId, success, exitCode, raw }) => [
    terminalId,
    { success, exitCode, raw: raw.trimEnd() },
  ]);
  const expected = shells.map(({ id, index }) => [
    id,
    { success: true, exitCode: index, raw: `${text}-${index}` },
  ]);
  expectSame('results of a run in all', sorted(told), sorted(expected));
}

function sorted(entries: unknown[][]): unknown[][] {
  return entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

/** Types a command as a person does, and waits for its end. */
export async function typed({ api, random }: Turn, { id }: Shell): Promise<void> {
  const code = random.below(CODES);
  const prompt = { prompt: `(exit ${code})`, cliType: 'default' };
  const { cursor } = bodyOf(await api.post<{ cursor: string }>(`/api/terminals/${id}/execute`, prompt));
  const body = { until: 'command', since: cursor, timeoutMs: WAIT_MS };
  const { done, reason, exitCode } = bodyOf(await api.post<WaitAnswer>(`/api/terminals/${id}/wait`, body));
  expectSame(
    'wait for a typed command',
    { done, reason, exitCode },
    { done: true, reason: 'command', exitCode: code },
  );
}

/** Runs a program in a terminal of its own until its exit, compares its output and status, and closes the terminal. */
export async function program(turn: Turn): Promise<void> {
  const { api, random } = turn;
  const [token, code] = [turn.token(), random.below(CODES)];
  const line = ['sh', '-c', `seq ${LINES}; echo ${token}; exit ${code}`];
  const { id } = bodyOf(await api.post<Terminal>('/api/terminals', { command: line }));
  const body = { until: 'exit', timeoutMs: WAIT_MS };
  const { reason, exitCode } = bodyOf(await api.post<WaitAnswer>(`/api/terminals/${id}/wait`, body));
  expectSame('wait for an exit', { reason, exitCode }, { reason: 'exit', exitCode: code });
  const { totalLines, raw } = bodyOf(
    await api.get<{ totalLines: number; raw: string }>(`/api/terminals/${id}/output?lines=1`),
  );
  expectSame(
    'output of a program that has exited',
    { totalLines, raw },
    { totalLines: LINES + 1, raw: token },
  );
  const exited = bodyOf(await api.get<Terminal>(`/api/terminals/${id}`));
  expectSame('status of such a program', [exited.status, exited.exitCode], ['exited', code]);
  await close(turn, id);
}

/** Resizes a shell; asks the service and a program in the shell for its size. */
export async function resize(turn: Turn, shell: Shell): Promise<void> {
  const { api, random } = turn;
  const size = { cols: 60 + random.below(100), rows: 10 + random.below(40) };
  bodyOf(await api.post(`/api/terminals/${shell.id}/size`, size));
  Object.assign(shell, size);
  const { cols, rows } = bodyOf(await api.get<TerminalSize>(`/api/terminals/${shell.id}/size`));
  expectSame('size', { cols, rows }, size);
  const { raw } = await run(turn, shell, 'stty size', 0);
  expectSame('stty size', raw.trimEnd(), `${rows} ${cols}`);
}

/** Reads a command's output from a cursor that was taken before the command. */
export async function readSince(turn: Turn, shell: Shell): Promise<void> {
  const { api } = turn;
  const path = `/api/terminals/${shell.id}/output`;
  const { cursor } = bodyOf(await api.get<{ cursor: string }>(`${path}?lines=1`));
  const token = turn.token();
  const lines = 1 + turn.random.below(LINES);
  await run(turn, shell, `for i in $(seq ${lines}); do echo ${token}-$i; done`, 0);
  const { raw } = bodyOf(await api.get<{ raw: string }>(`${path}?since=${encodeURIComponent(cursor)}`));
  expectSame('numbers of the lines since a cursor', numbersOf(raw, token), upTo(lines));
}

/** Returns the numbers after the token at the ends of lines; a shell's mark may precede the token. */
export function numbersOf(text: string, token: string): number[] {
  return [...text.matchAll(new RegExp(`${token}-(\\d+)\\r?$`, 'gm'))].map(([, number]) => Number(number));
}

export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** Compares the list of the worker's terminals with the shells that the worker holds. */
export async function list({ api, worker, shells }: Turn): Promise<void> {
  const path = `/api/terminals?selector=${encodeURIComponent(`worker=${worker}`)}`;
  const { terminals } = bodyOf(await api.get<{ terminals: Terminal[] }>(path));
  const ids = (some: Array<{ id: string }>) => some.map(({ id }) => id).sort();
  expectSame('list', ids(terminals), ids(shells));
}

/** Closes a shell. */
export async function end(turn: Turn, shell: Shell): Promise<void> {
  turn.shells.splice(turn.shells.indexOf(shell), 1);
  await close(turn, shell.id);
}

/** Closes a shell while a command runs in it: the answer must not report an exit code. */
export async function endUnderWay(turn: Turn, shell: Shell): Promise<void> {
  turn.shells.splice(turn.shells.indexOf(shell), 1);
  const body = { terminalIds: [shell.id], command: 'sleep 300', timeoutMs: WAIT_MS };
  const answer = turn.api.post<BatchRunAnswer>('/api/terminals/batch/run', body);
  await delay(turn.random.below(500));
  const closing = turn.api.delete(`/api/terminals/${shell.id}`);
  const { results } = bodyOf(await answer);
  bodyOf(await closing);
  expectSame('exit code of a run in a closed shell', results[0]?.exitCode, null);
  await expectGone(turn, shell.id);
}
