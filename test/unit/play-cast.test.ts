import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openCast } from '#dist/command/play/cast.js';
import { ShownOutput } from '#dist/command/play/shown-output.js';
import { Spool } from '#dist/command/play/spool.js';

async function* piecesOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a recording that is read', () => {
  const head = JSON.stringify({ version: 2, width: 91, height: 17 });

  test.each([1, 7, 10_000])(
    'in pieces of %d bytes has its size and its output, without input',
    async (size) => {
      const lines = [head, '[0.5,"o","é\\u001b[31m"]', '[1,"i","typed"]', '[61.25,"o","last"]'];
      const cast = await openCast(piecesOf(`${lines.join('\n')}\n`, size));
      expect(cast.size).toEqual({ cols: 91, rows: 17 });
      const events = [];
      for await (const event of cast.events) events.push(event);
      expect(events).toEqual([
        { time: 0.5, data: 'é\x1b[31m' },
        { time: 61.25, data: 'last' },
      ]);
    },
  );

  test.each(['', '{"version":1}\n', '[]\n'])('%j is none', async (text) => {
    await expect(openCast(piecesOf(text, 10))).rejects.toMatchObject({ code: 'no-recording' });
  });
});

describe('a download on disk', () => {
  const text = 'abcdefghij'.repeat(50_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'spool-'));
    vi.stubEnv('TMPDIR', folder);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  test('is read from its beginning as often as wanted, also while it comes, and leaves no file', async () => {
    let next = () => {};
    const go = new Promise<void>((resolve) => {
      next = resolve;
    });
    async function* source() {
      yield* piecesOf(text.slice(0, 200_000), 70_000);
      await go;
      yield* piecesOf(text.slice(200_000), 70_000);
    }
    const spool = await Spool.of(source());
    const early = spool.read();
    let first = '';
    while (first.length < 200_000) first += Buffer.from((await early.next()).value!).toString();
    expect(first).toBe(text.slice(0, 200_000));
    const waiting = textOf(early);
    next();
    expect(first + (await waiting)).toBe(text);
    expect(await textOf(spool.read())).toBe(text);
    expect(readdirSync(folder)).toEqual([]);
    await spool.close();
  });

  test('ends with the error of its source, after what has come', async () => {
    async function* source() {
      yield Buffer.from('some');
      throw new Error('broken off');
    }
    const spool = await Spool.of(source());
    const reading = spool.read();
    expect(String((await reading.next()).value)).toBe('some');
    await expect(reading.next()).rejects.toThrow('broken off');
    await spool.close();
  });
});

test('recorded output is shown without queries, and what it sets is reset', () => {
  const output = new ShownOutput();
  const taken = ['a\x1b[', '6n\x1b[?1049h\x1b[?25lb\x1b]11;?\x07'].map((data) => output.take(data)).join('');
  expect(taken).toBe('a\x1b[?1049h\x1b[?25lb');
  const end = output.end({ cols: 80, rows: 24 });
  expect(end).toContain('\x1b[?1049l');
  expect(end).toContain('\x1b[?25h');
});
