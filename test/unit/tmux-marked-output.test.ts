import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newExitNonce } from '#dist/workers/pty-host/pty/exit-marker.js';
import { MarkedOutput } from '#dist/workers/pty-host/tmux/marked-output.js';
import { Random } from '../support/random.js';

const NONCE = newExitNonce();
const mark = (fields: string, nonce = NONCE) => `\x1b]7779;${nonce};${fields}\x1b\\`;
const started = mark('0;4711');
const ended = (fields: string) => mark(`1;${fields}`);

/** Returns everything reported of the chunks in order; all output between two reports is one item. */
function told(chunks: Buffer[], { flush = false } = {}) {
  const events: (string | [number, number])[] = [];
  let output = '';
  const put = (event: string | [number, number]) => {
    if (output) events.push(output);
    output = '';
    events.push(event);
  };
  const marked = new MarkedOutput(NONCE, {
    started: (pid) => put(`pid ${pid}`),
    output: (bytes) => {
      output += bytes.toString('latin1');
    },
    ended: (exitCode, signal) => put([exitCode, signal]),
  });
  for (const chunk of chunks) {
    marked.push(chunk);
    // The callee only borrows the chunk.
    chunk.fill(0);
  }
  if (flush) marked.flush();
  return output ? [...events, output] : events;
}

/** Cuts the stream into pieces with their own memory, each of at most `longest` bytes. */
function cut(stream: string, random: Random, longest: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < stream.length; ) {
    const length = 1 + random.below(longest);
    chunks.push(Buffer.from(stream.slice(at, at + length), 'latin1'));
    at += length;
  }
  return chunks;
}

/** Checks that a stream gives the same reports in one piece, byte by byte, and cut at random; returns the reports. */
function everyWay(stream: string, options?: { flush?: boolean }) {
  const whole = told([Buffer.from(stream, 'latin1')], options);
  for (let seed = 1; seed <= 60; seed += 1) {
    const chunks = cut(stream, new Random(seed), seed);
    expect(told(chunks, options), `cut by seed ${seed}`).toEqual(whole);
  }
  return whole;
}

describe("a pane's output with marks", () => {
  test('is the output between them, wherever it is cut', () => {
    const noise = randomBytes(3000).toString('latin1');
    const stream = `sh: warning${started}${noise}${ended('7;')}of a background job`;
    expect(everyWay(stream)).toEqual(['pid 4711', noise, [7, 0]]);
  });

  test('may be empty', () => {
    expect(everyWay(started + ended('0;'))).toEqual(['pid 4711', [0, 0]]);
  });

  test('is untouched if a program prints something like a mark', () => {
    const alike = [
      mark('1;7;', newExitNonce()),
      mark('7', newExitNonce()),
      started,
      ended('7;').slice(0, -1),
      ended('').slice(0, -2),
      ended('7;').slice(0, -2),
      ended('7;2'),
      ended('1234;'),
      ended('$ended;1'),
      ended(';'),
      ended('7;').slice(0, 34).repeat(3),
      `\x1b\x1b]7779;${NONCE};1;\x1b]7779;${NONCE};1;\x1b`,
    ];
    for (const printed of alike) {
      expect(everyWay(`${started}${printed}x${ended('3;')}`)).toEqual(['pid 4711', `${printed}x`, [3, 0]]);
      expect(everyWay(`${started}${printed}${ended('3;')}`)).toEqual(['pid 4711', printed, [3, 0]]);
    }
  });

  test('begins with the first whole mark', () => {
    const halves = `${mark('0;')}${started.slice(0, -2)}${mark('0;x')}${mark('0;1', newExitNonce())}`;
    expect(everyWay(`${halves}${started}hello`)).toEqual(['pid 4711', 'hello']);
  });

  test('is passed on to its last byte when the end mark does not come', () => {
    const end = ended('137;1');
    for (let length = 0; length < end.length; length += 1) {
      const printed = `words${end.slice(0, length)}`;
      expect(everyWay(`${started}${printed}`, { flush: true })).toEqual(['pid 4711', printed]);
    }
    expect(everyWay(`before${started.slice(0, -1)}`, { flush: true })).toEqual([]);
    expect(everyWay(`${started}words${end}after`, { flush: true })).toEqual(['pid 4711', 'words', [0, 9]]);
  });

  test('is not held back while it is no beginning of a mark', () => {
    const marked = ['', 'ab', '\x1b[1m', '\x1b]7779;1', 'plain'].map((text) => `${text}$`);
    for (const text of marked)
      expect(told([Buffer.from(started), Buffer.from(text)])).toEqual(['pid 4711', text]);
  });
});

describe('the end mark', () => {
  const endOf = (fields: string) => told([Buffer.from(started + ended(fields))]).at(-1);

  test('reports every exit code', () => {
    for (let code = 0; code < 256; code += 1) expect(endOf(`${code};`)).toEqual([code, 0]);
  });

  test('distinguishes a death by signal from the exit code that shells give it', () => {
    for (let signal = 1; signal <= 64; signal += 1) {
      expect(endOf(`${128 + signal};1`)).toEqual([0, signal]);
      expect(endOf(`${128 + signal};`)).toEqual([128 + signal, 0]);
    }
  });

  test('does not take a message of the shell for a signal when the program has exited', () => {
    expect(endOf('7;1')).toEqual([7, 0]);
    expect(endOf('128;1')).toEqual([128, 0]);
  });

  test('knows the numbers by which ksh and yash report signals', () => {
    expect(endOf('265;1')).toEqual([0, 9]);
    expect(endOf('258;')).toEqual([0, 2]);
    expect(endOf('393;')).toEqual([0, 9]);
  });
});
