import { setTimeout as delay } from 'node:timers/promises';
import { PING_INTERVAL_MS } from '../../src/contract/limits.js';
import type { RecordingStarted, RecordingStopped } from '../../src/contract/recording.js';
import { eventually } from '../../test/support/processes.js';
import { numbersOf, upTo } from './actions.js';
import { expectSame, WrongAnswer } from './tally.js';
import { bodyOf, run, type Shell, type Turn } from './turn.js';
import { Watcher } from './watcher.js';

const WATCH_MS = 120_000;
const SEARCH_MS = 30_000;
const LINES = 1_000;
/** Number of lines of 100 characters: in all more than a client's queue and its socket's buffers hold together. */
const FLOOD_LINES = 150_000;
const LINE_CHARS = 100;

/** Connects a client, compares the lines that it gets with the lines that a command prints, and disconnects it. */
export async function watch(turn: Turn, shell: Shell): Promise<void> {
  const token = turn.token();
  const watcher = await Watcher.open(turn.url, shell.id);
  try {
    await run(turn, shell, `for i in $(seq ${LINES}); do echo ${token}-$i; done`, 0);
    const hasLast = () => watcher.output.includes(`${token}-${LINES}\r\n`);
    await watcher.until('a client did not get the last line', hasLast, WATCH_MS);
    // If a screen has replaced output, only the end is sure to be there.
    if (watcher.resyncs === 0)
      expectSame('lines that a client got', numbersOf(watcher.output, token), upTo(LINES));
  } finally {
    await watcher.close(turn.random.below(2) === 0);
  }
}

/** A client stops reading while a command prints much, which must not block the command; then reads up to the end. */
export async function stall(turn: Turn, shell: Shell): Promise<void> {
  const { random } = turn;
  const token = turn.token();
  const watcher = await Watcher.open(turn.url, shell.id);
  try {
    watcher.stall();
    const begin = performance.now();
    const padding = 'x'.repeat(LINE_CHARS - token.length);
    await run(turn, shell, `seq -f '${token}-%.0f-${padding}' ${FLOOD_LINES}; echo ${token}.`, 0);
    await delay(random.below(2_000));
    // Some clients never read again.
    if (random.below(4) === 0) return;
    watcher.goOn();
    // The service ends a client that takes nothing between two pings. On a slow machine, printing takes that long.
    const mayBeEnded = performance.now() - begin > PING_INTERVAL_MS;
    const isOver = () =>
      new RegExp(`^${token}\\.`, 'm').test(watcher.tail) || (mayBeEnded && watcher.isClosed);
    await watcher.until('a client that had stalled did not get the end', isOver, WATCH_MS);
  } finally {
    await watcher.close(random.below(2) === 0);
  }
}

/** Records a command, exports the recording, and deletes it. */
export async function record(turn: Turn, shell: Shell): Promise<void> {
  const { api, random } = turn;
  const start = await api.post<RecordingStarted>('/api/recordings/start', { terminal_id: shell.id });
  const { recordingId } = bodyOf(start, 201);
  const token = turn.token();
  const lines = 1 + random.below(LINES);
  await run(turn, shell, `for i in $(seq ${lines}); do echo ${token}-$i; done`, 0);
  const stop = await api.post<RecordingStopped>(`/api/recordings/stop/${recordingId}`);
  expectSame('truncated', bodyOf(stop).truncated ?? false, false);
  const exported = async (format: string) => {
    const answer = await api.raw({
      ...{ method: 'POST', path: `/api/recordings/${recordingId}/export`, body: JSON.stringify({ format }) },
      headers: { 'content-type': 'application/json' },
    });
    return bodyOf(answer);
  };
  const events = JSON.parse(await exported('json')) as { events: { event_type: string; data: string }[] };
  const output = events.events.filter((event) => event.event_type === 'output').map(({ data }) => data);
  expectSame('lines of a recording', numbersOf(output.join(''), token), upTo(lines));
  const cast = (await exported('cast')).trimEnd().split('\n').slice(1);
  const played = cast.map((line) => JSON.parse(line) as [number, string, string]);
  const shown = played.filter(([, kind]) => kind === 'o').map(([, , data]) => data);
  expectSame('lines of an asciicast', numbersOf(shown.join(''), token), upTo(lines));
  bodyOf(await api.delete(`/api/recordings/${recordingId}`), 204);
  const { status } = await api.get(`/api/recordings/${recordingId}`);
  expectSame('status for a deleted recording', status, 404);
}

interface Found {
  results: { document: { terminalId: string; content: string } }[];
}

/** Searches for a printed line until it is found, and for a text that was never printed. */
export async function search(turn: Turn, shell: Shell): Promise<void> {
  const token = turn.token();
  await run(turn, shell, `echo begin; echo ${token}; echo end`, 0);
  const find = async (query: string) => {
    const body = { query, filters: { type: 'output' } };
    const { results } = bodyOf(await turn.api.post<Found>('/api/search', body));
    return results.map(({ document }) => document);
  };
  // The typed command is on the screen, too: on a busy machine it comes in a document of its own.
  let found: Awaited<ReturnType<typeof find>> = [];
  const isFound = async () => {
    found = await find(token);
    return found.some(({ content }) => content.split('\n').includes(token));
  };
  await eventually('a printed line is found', isFound, SEARCH_MS).catch((error: Error) => {
    throw new WrongAnswer(error.message);
  });
  const terminals = new Set(found.map(({ terminalId }) => terminalId));
  expectSame('terminals in which a text is found', [...terminals], [shell.id]);
  expectSame(
    'finds without the text',
    found.filter(({ content }) => !content.includes(token)),
    [],
  );
  expectSame('finds of a text that was never printed', await find(`${turn.token()}-never`), []);
}
