import { describe, expect, test } from 'vitest';
import { ControlStreamError } from '#dist/workers/pty-host/tmux/control-error.js';
import { ControlLines } from '#dist/workers/pty-host/tmux/control-lines.js';
import { Random } from '../support/random.js';
import { type ControlEvent, linesEvents, randomControlStream } from '../support/tmux-stream.js';

interface Read {
  events: ControlEvent[];
  /** Sizes of the pieces in which output was passed on. */
  pieces: number[];
}

/** Returns the callbacks for the chunks; output is latin1, and joined if nothing comes between. */
function read(...chunks: (Buffer | string)[]): Read {
  const events: ControlEvent[] = [];
  const pieces: number[] = [];
  const lines = new ControlLines({
    output: (pane, bytes) => {
      pieces.push(bytes.length);
      const last = events.at(-1);
      if (last?.kind === 'output' && last.pane === pane) last.text += bytes.toString('latin1');
      else events.push({ kind: 'output', pane, text: bytes.toString('latin1') });
      // The callback only borrows this memory.
      bytes.fill(0x21);
    },
    notice: (line) => events.push({ kind: 'notice', line }),
    block: (ok, lines) => events.push({ kind: 'block', ok, lines }),
    refused: (lines) => events.push({ kind: 'refused', lines }),
  });
  for (const chunk of chunks) {
    const lent = typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : Buffer.from(chunk);
    lines.push(lent);
    lent.fill(0x3f);
  }
  return { events, pieces };
}

function cut(bytes: Buffer, random: Random, longest: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + random.below(longest);
    chunks.push(bytes.subarray(at, end));
    at = end;
  }
  return chunks;
}

describe('the stream of a tmux control client', () => {
  test('reads like a simple reader, wherever it is cut', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = new Random(seed);
      const stream = randomControlStream(random);
      const expected = linesEvents(stream);
      for (const longest of [1, 3, 40, 5_000, 200_000]) {
        const { events } = read(...cut(stream, random, longest));
        expect(events, `seed ${seed}, chunks of up to ${longest}`).toEqual(expected);
      }
    }
  });

  test('has all 256 bytes of output, raw or in octal', () => {
    const all = Array.from({ length: 256 }, (_, byte) => byte);
    const octal = (byte: number) => `\\${byte.toString(8).padStart(3, '0')}`;
    const written = all.map((byte) =>
      byte < 0x20 || byte === 0x5c ? octal(byte) : String.fromCharCode(byte),
    );
    const text = String.fromCharCode(...all);
    expect(read(`%output %7 ${written.join('')}\n`).events).toEqual([{ kind: 'output', pane: 7, text }]);
    expect(read(`%output %7 ${all.map(octal).join('')}\n`).events).toEqual([
      { kind: 'output', pane: 7, text },
    ]);
  });

  test('passes on output of one pane in one piece, and never across something else', () => {
    const one = '%output %1 a\n%output %1 b\\012\n';
    expect(read(one + one).pieces).toEqual([6]);
    expect(read(one, one).pieces).toEqual([3, 3]);
    expect(read(`${one}%output %2 c\n${one}`).pieces).toEqual([3, 1, 3]);
    expect(read(`${one}%window-add @1\n${one}`).events.map(({ kind }) => kind)).toEqual([
      'output',
      'notice',
      'output',
    ]);
    expect(read(`${one}%begin 1 2 0\n%end 1 2 0\n${one}`).events).toEqual([
      { kind: 'output', pane: 1, text: 'ab\nab\n' },
    ]);
    expect(read(`${one}%begin 1 2 1\n%end 1 2 1\n${one}`).events.map(({ kind }) => kind)).toEqual([
      'output',
      'block',
      'output',
    ]);
  });

  test('passes on pieces of 64 KiB at most, however long a line is', () => {
    const plain = 'x'.repeat(100_000);
    const { pieces, events } = read(`%output %1 ${plain}\\134${plain}\n%output %1 ${plain}\n`);
    expect(events).toEqual([{ kind: 'output', pane: 1, text: `${plain}\\${plain}${plain}` }]);
    expect(Math.max(...pieces)).toBe(64 * 1024);
    expect(pieces).toHaveLength(Math.ceil(300_001 / (64 * 1024)));
  });

  test('skips output of nothing', () => {
    expect(read('%output %1 \n%output %2 x\n').events).toEqual([{ kind: 'output', pane: 2, text: 'x' }]);
  });

  test('closes an answer only by exactly the same words', () => {
    const rows = [
      '%end 1 2 3',
      '%end 5 6 0',
      '%error 4 6 1',
      '%exit',
      '%output %1 x',
      '%begin 5 6 1',
      '%end 5 6 1 ',
      '',
    ];
    const { events } = read(`%begin 5 6 1\n${rows.join('\n')}\n%end 5 6 1\n%exit\n`);
    expect(events).toEqual([
      { kind: 'block', ok: true, lines: rows },
      { kind: 'notice', line: '%exit' },
    ]);
  });

  test('distinguishes answers of this client from others by bit 0 of the flags', () => {
    const { events } = read(
      '%begin 1 1 0\nhub\n%end 1 1 0\n%begin 1 2 0\nno such hook\n%error 1 2 0\n' +
        '%begin 1 3 1\nbad\n%error 1 3 1\n%begin 1 4 3\n%end 1 4 3\n%begin 1 5 2\n%end 1 5 2\n',
    );
    expect(events).toEqual([
      { kind: 'refused', lines: ['no such hook'] },
      { kind: 'block', ok: false, lines: ['bad'] },
      { kind: 'block', ok: true, lines: [] },
    ]);
  });

  test('reads answers and notices as UTF-8', () => {
    const stream = Buffer.from('%begin 1 1 1\n中文 é\n%end 1 1 1\n%window-renamed @1 日本\n');
    expect(read(...[...stream].map((byte) => Buffer.from([byte]))).events).toEqual([
      { kind: 'block', ok: true, lines: ['中文 é'] },
      { kind: 'notice', line: '%window-renamed @1 日本' },
    ]);
  });

  test.each([
    ['a byte that the line cuts short', '%output %1 abc\\01\n'],
    ['a byte of other digits', '%output %1 abc\\018\n'],
    ['a byte above 255', '%output %1 abc\\400\n'],
    ['a backslash before text', '%output %1 abc\\n12\n'],
    ['no pane', '%output % abc\n'],
    ['a pane that is no number', '%output %x1 abc\n'],
    ['a pane and no more', '%output %1\n'],
  ])('is broken by %s, and earlier output is passed on', (_what, line) => {
    const events: string[] = [];
    const lines = new ControlLines({
      output: (_pane, bytes) => events.push(bytes.toString('latin1')),
      notice: (line) => events.push(line),
      block: () => undefined,
      refused: () => undefined,
    });
    expect(() => lines.push(Buffer.from(`%output %1 before \n${line}%window-add @1\n`))).toThrow(
      ControlStreamError,
    );
    expect(events.join('')).toBe('before ');
  });

  test('is broken by a line over 64 MiB', () => {
    const mebibyte = Buffer.alloc(1024 * 1024, 'x');
    expect(() => read(...Array<Buffer>(64).fill(mebibyte), 'a')).toThrow(ControlStreamError);
  });

  test('takes an answer over 64 MiB for a failure, and goes on', () => {
    const row = Buffer.concat([Buffer.alloc(1024 * 1024 - 1, 'x'), Buffer.from('\n')]);
    const rows = Array<Buffer>(65).fill(row);
    const { events } = read('%begin 1 2 1\n', ...rows, '%end 1 2 1\n%begin 1 3 1\nnext\n%end 1 3 1\n');
    expect(events).toEqual([
      { kind: 'block', ok: false, lines: [expect.stringContaining('longer than')] },
      { kind: 'block', ok: true, lines: ['next'] },
    ]);
  });
});
