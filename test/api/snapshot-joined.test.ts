import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { eventually } from '../support/processes.js';
import { Random } from '../support/random.js';
import { assertSameState } from '../support/screen-compare.js';
import { Bare } from '../support/screen-pair.js';
import { openStream, type StreamEvent } from '../support/stream.js';
import { tries } from '../support/tries.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();

const SEEDS = tries(4, 'AUTO_TERMINAL_LONG_SEEDS');
const SIZE = { cols: 60, rows: 15 };
/** More lines than are printed: once its scrollback is full, xterm does not move a saved cursor along. */
const SCROLLBACK = 5_000;
/** Pieces of a program's output. */
const PIECES = 400;

/** Output of a program, any part of which may be cut off. */
const PIECE: Array<(random: Random) => string> = [
  (random) => `${'lorem ipsum é dolor '.slice(0, 1 + random.below(20))}`,
  (random) => `line ${random.below(1_000)}\r\n`.repeat(1 + random.below(30)),
  (random) => `\x1b[${1 + random.below(15)};${1 + random.below(60)}H`,
  (random) => `\x1b[38;2;${random.below(256)};${random.below(256)};7;1m`,
  () => '\x1b[m',
  (random) => random.of(['\x1b7', '\x1b8']),
  (random) => `\x1b[${random.of(['J', 'K', '2J', '1K', 'L', '3M', 'P', '5@', '2S', 'T'])}`,
  (random) => `\x1b]0;a title ${'x'.repeat(random.below(200))}\x07`,
  (random) => `\x1b]8;;http://host/${random.below(9)}\x1b\\link\x1b]8;;\x1b\\`,
  (random) => random.of(['\x1b[?1049h', '\x1b[?1049l', '\x1b[2;9r', '\x1b[r']),
  (random) => `\x1bP${'q'.repeat(random.below(3_000))}\x1b\\`,
];

/** Each stream has only one of these: with both, wide characters at the edge depend on the cuts of xterm's writes. */
const WIDE = () => '中文👩\u200d💻e\u0301한';
const NO_WRAPPING = (random: Random) => random.of(['\x1b[?7l', '\x1b[?7h']);

/** A viewer that joined at a snapshot: it writes only documented parts of the answer, and later frames. */
class Viewer {
  readonly terminal: Bare;
  readonly #seq: number;

  constructor(snapshot: { snapshot: string; pending: string; rows: number; cols: number; seq: number }) {
    this.terminal = new Bare({ cols: snapshot.cols, rows: snapshot.rows }, SCROLLBACK);
    this.terminal.do(snapshot.snapshot);
    this.terminal.do(snapshot.pending);
    this.#seq = snapshot.seq;
  }

  take({ seq, data }: StreamEvent): void {
    if (seq! > this.#seq) this.terminal.do(data.content!);
  }
}

/** Writes the file in the given cuts, with a short pause after some of them. */
const PROGRAM = `
import { execFileSync } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';
process.stdin.setRawMode(true);
// Node's raw mode still turns each line feed into two bytes, and the stream would be longer than the text.
execFileSync('stty', ['-opost'], { stdio: 'inherit' });
process.stdin.resume();
const { text, cuts } = JSON.parse(readFileSync(process.argv[2]));
const bytes = Buffer.from(text);
process.stdin.once('data', async () => {
  let at = 0;
  for (const { size, pause } of cuts) {
    for (let part = bytes.subarray(at, at + size); part.length > 0; ) part = part.subarray(writeSync(1, part));
    at += size;
    if (pause) await new Promise((resolve) => setTimeout(resolve, 1));
  }
});
writeSync(1, 'ready');
`;

let joinedMidway = 0;
afterAll(() => expect(joinedMidway).toBeGreaterThan(0));

it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
  'a viewer that joins by a snapshot sees the same as a viewer from the first byte (seed %d)',
  async (seed) => {
    const random = new Random(seed);
    const { home, url } = used.service;
    const pieces = [...PIECE, seed % 2 === 0 ? WIDE : NO_WRAPPING];
    const text = Array.from({ length: PIECES }, () => random.of(pieces)(random)).join('');
    const total = Buffer.byteLength(text);
    const cuts: Array<{ size: number; pause: boolean }> = [];
    for (let at = 0; at < total; at += cuts.at(-1)!.size)
      cuts.push({ size: 1 + random.below(random.of([3, 50, 2_000])), pause: random.below(3) === 0 });
    const [program, input] = [join(home, `print-${seed}.mjs`), join(home, `text-${seed}.json`)];
    await Promise.all([writeFile(program, PROGRAM), writeFile(input, JSON.stringify({ text, cuts }))]);
    const command = [process.execPath, program, input];
    const { id } = (await used.api.post<{ id: string }>('/api/terminals', { command, ...SIZE })).body;
    const snapshot = async () =>
      (await used.api.get<ConstructorParameters<typeof Viewer>[0]>(`/api/terminals/${id}/snapshot`)).body;
    await eventually('the program is ready', async () => (await snapshot()).snapshot.includes('ready'));

    const events: StreamEvent[] = [];
    const stream = await openStream(url, `terminals=${id}&seq=1`, (event) => events.push(event));
    const end = (await snapshot()).seq + total;
    const viewers: Array<{ viewer: Viewer; seq: number }> = [];
    await used.api.post(`/api/terminals/${id}/input`, { data: 'x' });
    const isOver = () => (events.at(-1)?.seq ?? 0) >= end;
    while (!isOver()) {
      const joined = await snapshot();
      viewers.push({ viewer: new Viewer(joined), seq: joined.seq });
      await new Promise((resolve) => setTimeout(resolve, random.below(4)));
    }
    await stream.close();

    const oracle = new Bare(SIZE, SCROLLBACK);
    oracle.do('ready');
    oracle.do(text);
    const ends = new Set([end, end - total, ...events.map(({ seq }) => seq)]);
    for (const { viewer, seq } of viewers) {
      // Each snapshot ends at the end of a frame.
      expect(ends).toContain(seq);
      for (const event of events) viewer.take(event);
      assertSameState(viewer.terminal.term, oracle.term, { scrollback: false, isLater: true });
      viewer.terminal.dispose();
    }
    joinedMidway += viewers.filter(({ seq }) => seq > end - total && seq < end).length;
    oracle.dispose();
  },
);

it('unfinished sequences come as `pending`, and no part of a character', async () => {
  const command = ['sh', '-c', "stty raw; printf 'a\\303\\251\\033]0;half a t\\344\\270'; exec cat"];
  const { id } = (await used.api.post<{ id: string }>('/api/terminals', { command })).body;
  const read = async () =>
    (await used.api.get<Record<string, unknown>>(`/api/terminals/${id}/snapshot`)).body;
  await eventually('all is printed', async () => (await read()).pending !== '');
  await eventually('all is printed', async () => (await read()).seq === 15);
  expect(await read()).toMatchObject({ pending: '\x1b]0;half a t', seq: 15 });
});
