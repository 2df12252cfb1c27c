import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_LOG_RESIZES } from '#dist/contract/limits.js';
import { TerminalLog } from '#dist/workers/pty-host/log/terminal-log.js';

/** Returns the log from a cursor on, as text with sizes in brackets. */
function read(log: TerminalLog, max = 1000, cursor = log.start()): string {
  let text = '';
  for (let item = log.next(cursor, max); item; item = log.next(cursor, max)) {
    text += item.kind === 'resize' ? `[${item.cols}x${item.rows}]` : Buffer.concat(item.views).toString();
  }
  return text;
}

function checkpointOf(log: TerminalLog) {
  const { kept, ...place } = log.checkpoint;
  return { ...place, text: Buffer.from(kept.read()).toString() };
}

function logOf(...items: (string | [number, number])[]): TerminalLog {
  const log = new TerminalLog(80, 24);
  for (const item of items) {
    if (typeof item === 'string') log.append(Buffer.from(item));
    else log.resize(...item);
  }
  return log;
}

const bytes = Buffer.from('screen');

describe('a terminal log', () => {
  test('starts with an empty checkpoint of the size at spawn', () => {
    const log = new TerminalLog(80, 24);
    const { position, size } = log;
    expect(checkpointOf(log)).toEqual({ position: 0, cols: 80, rows: 24, text: '' });
    expect({ position, size }).toEqual({ position: 0, size: 0 });
  });

  test('gives output and resizes in their order, in pieces of at most the size asked for', () => {
    const log = logOf('abc', [100, 30], [101, 31], 'defgh', [102, 32]);
    expect(read(log)).toBe('abc[100x30][101x31]defgh[102x32]');
    expect(read(log, 1)).toBe('abc[100x30][101x31]defgh[102x32]');
    const cursor = log.start();
    expect(log.next(cursor, 2)).toMatchObject({ kind: 'output', bytes: 2 });
    expect(cursor.position).toBe(2);
  });

  test('drops output before a checkpoint, also in the middle of a chunk', () => {
    const log = logOf('abc', [100, 30], 'defgh', [101, 31], 'i');
    expect(log.setCheckpoint({ position: 5, cols: 100, rows: 30, bytes })).toBe(true);
    expect(checkpointOf(log)).toEqual({ position: 5, cols: 100, rows: 30, text: 'screen' });
    expect({ position: log.position, size: log.size }).toEqual({ position: 9, size: 4 });
    expect(read(log)).toBe('fgh[101x31]i');
  });

  test.each([
    ['before the present one', 1],
    ['beyond the end', 6],
  ])('takes no checkpoint %s', (_, position) => {
    const log = logOf('abcde');
    log.setCheckpoint({ position: 2, cols: 80, rows: 24, bytes });
    expect(log.setCheckpoint({ position, cols: 80, rows: 24, bytes })).toBe(false);
    expect(read(log)).toBe('cde');
  });

  test('tells by the size whether a checkpoint came before or after resizes at its position', () => {
    const resized = () => logOf('abc', [100, 30], [101, 31], 'd');
    const at = (cols: number, rows: number) => {
      const log = resized();
      log.setCheckpoint({ position: 3, cols, rows, bytes });
      return read(log);
    };
    expect(at(80, 24)).toBe('[100x30][101x31]d');
    expect(at(100, 30)).toBe('[101x31]d');
    expect(at(101, 31)).toBe('d');
  });

  test('a running reader is not disturbed by a checkpoint behind it', () => {
    const log = logOf('abc', [100, 30], 'def');
    const cursor = log.start();
    log.next(cursor, 3);
    log.next(cursor, 3);
    log.next(cursor, 1);
    log.setCheckpoint({ position: 4, cols: 100, rows: 30, bytes });
    log.append(Buffer.from('g'));
    expect(read(log, 10, cursor)).toBe('efg');
  });

  test('keeps a bounded number of resizes, the newest', () => {
    const log = new TerminalLog(80, 24);
    for (let count = 1; count <= MAX_LOG_RESIZES + 5; count += 1) log.resize(count, 24);
    expect(read(log)).toMatch(/^\[6x24\]/);
    expect(read(log)).toMatch(new RegExp(`\\[${MAX_LOG_RESIZES + 5}x24\\]$`));
  });

  test('clear frees all and keeps the position', () => {
    const log = logOf('abc', [100, 30]);
    log.clear();
    expect({ position: log.position, size: log.size, rest: read(log) }).toEqual({
      position: 3,
      size: 0,
      rest: '',
    });
  });

  test('of a megabyte that came byte by byte costs about a megabyte', () => {
    const log = new TerminalLog(80, 24);
    const before = process.memoryUsage().arrayBuffers;
    const one = Buffer.from('x');
    for (let count = 0; count < 1024 * 1024; count += 1) log.append(one);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1.5 * 1024 * 1024);
    expect(read(log, 64 * 1024)).toBe('x'.repeat(1024 * 1024));
  });

  test('agrees with a plain string, whatever is appended, read and dropped', () => {
    const step = fc.oneof(
      fc.record({ append: fc.string({ maxLength: 3000, unit: 'grapheme-ascii' }) }),
      fc.record({ drop: fc.double({ min: 0, max: 1, noNaN: true }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const log = new TerminalLog(80, 24);
        let text = '';
        let start = 0;
        for (const next of steps) {
          if ('append' in next) {
            log.append(Buffer.from(next.append));
            text += next.append;
          } else {
            start += Math.floor((text.length - start) * next.drop);
            log.setCheckpoint({ position: start, cols: 80, rows: 24, bytes });
          }
          expect(read(log, 700)).toBe(text.slice(start));
          expect(log.position).toBe(text.length);
        }
      }),
    );
  });
});
