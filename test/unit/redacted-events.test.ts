import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordingEvent } from '../../src/contract/recording.js';
import { noHeldEvents, redactEvents } from '../../src/workers/redaction/redacted-events.js';
import { SecretFinder } from '../../src/workers/redaction/secret-finder.js';
import { Random } from '../support/random.js';
import { keysOf, MAKERS } from '../support/secret-corpus.js';

const finder = SecretFinder.of({ key: new Uint8Array(32), settings: { patterns: {}, allow: [] }, known: [] });
const token = MAKERS.find(({ kind }) => kind === 'npm-token')!.make(new Random(1));
const MARKER = finder.redact(token);

function eventsOf(type: RecordingEvent['event_type'], pieces: readonly string[]): RecordingEvent[] {
  return pieces.map((data, timestamp) => ({ event_type: type, data, timestamp }));
}

/** Redacts events in calls of `sizes` events in turn, and returns all redacted events. */
function redacted(
  events: readonly RecordingEvent[],
  sizes: readonly number[] = [events.length],
): RecordingEvent[] {
  let held = noHeldEvents();
  const all: RecordingEvent[] = [];
  for (let at = 0, turn = 0; at < events.length || turn === 0; turn++) {
    const count = Math.max(1, sizes[turn % sizes.length]!);
    // Each call may run in another thread.
    held = structuredClone(held);
    all.push(...redactEvents(finder, events.slice(at, at + count), held, at + count >= events.length));
    at += count;
  }
  return all;
}

const textOf = (events: readonly RecordingEvent[]) => events.map(({ data }) => data).join('');
const output = (...pieces: string[]) => textOf(redacted(eventsOf('output', pieces)));

describe('secrets in the output of a recording', () => {
  it('are found if they are coloured, or cut into events, or longer than a row', () => {
    const [begin, end] = [token.slice(0, 10), token.slice(10)];
    expect(output(`a ${token} b`)).toBe(`a ${MARKER} b`);
    expect(output(`a ${begin}`, `${end} b`)).toBe(`a ${MARKER} b`);
    expect(output(`a \x1b[1m${begin}\x1b[31m${end}\x1b[m b`)).toBe(`a \x1b[1m${MARKER}\x1b[31m\x1b[m b`);
    expect(output(`a ${begin}\x1b[3`, `1m${end} b`)).toBe(`a ${MARKER}\x1b[31m b`);
    expect(output(`$ echo ${begin} \r${end}\r\n`)).toBe(`$ echo ${MARKER} \r\r\n`);
    expect(output(`${begin}\x1b]0;title\x07${end}`)).toBe(`${MARKER}\x1b]0;title\x07`);
  });

  it('are found where zsh goes on in the next row, and prints its first character twice', () => {
    const [begin, end] = [token.slice(0, 10), token.slice(10)];
    const row = (text: string) => ` \r\x1b[K${text[0]}\r${text}`;
    expect(output(`% : ${begin}${row(`${end} b`)}`)).toBe(`% : ${MARKER} \r\x1b[K\r b`);
    expect(output(`% : ${begin} \r`, '\x1b[K', end[0]!, '\r', `${end} b`)).toBe(`% : ${MARKER} \r\x1b[K\r b`);
    expect(output(`% : ${begin}\x1b[1B\r${end} b`)).toBe(`% : ${MARKER}\x1b[1B\r b`);
  });

  it('are words of their own where the cursor was moved before or behind them', () => {
    for (const move of [' \r\x1b[17C', '\x1b[20G', '\x1b[5;3H', '\x1b[A', '\x1b[4C'])
      expect(output(`all${move}${token}${move}x`)).toBe(`all${move}${MARKER}${move}x`);
    expect(output('all\x1b[20', `G${token}`, '\x1b[9', 'Cx')).toBe(`all\x1b[20G${MARKER}\x1b[9Cx`);
  });

  it('are found in titles, links and marks, too', () => {
    for (const end of ['\x07', '\x1b\\', '\x9c']) {
      expect(output(`a\x1b]0;use ${token}${end}b`)).toBe(`a\x1b]0;use ${MARKER}${end}b`);
      expect(output(`\x1b]8;;http://x/${token.slice(0, 9)}`, `${token.slice(9)}${end}b`)).toBe(
        `\x1b]8;;http://x/${MARKER}${end}b`,
      );
    }
    const [begin, end] = [token.slice(0, 10), token.slice(10)];
    expect(output(`${begin}\x1b]633;E;echo ${token};n\x07${end}`)).toBe(
      `${MARKER}\x1b]633;E;echo ${MARKER};n\x07`,
    );
  });

  it('are found where Backspace has corrected them, with the hash of what the screen shows', () => {
    const [begin, end] = [token.slice(0, 10), token.slice(10)];
    for (const correction of ['X\b\x1b[K', 'XY\b\b\x1b[K', 'X\b \b', 'X\b'])
      expect(output(`a ${begin}${correction}${end} b`)).not.toContain(end.slice(0, 9));
    expect(output(`a ${begin}X`, '\b\x1b[K', `${end} b`)).toBe(`a ${MARKER}\x1b[K b`);
    expect(output(`$ ${token}\b\b\x1b[K\r\n`)).not.toContain(token.slice(0, 9));
    expect(output('all\b\b\b\bx')).toBe('all\b\b\b\bx');
    const typed = redacted(eventsOf('input', [...`a ${begin}XY\x7f\x7f${end} b\r`]));
    expect(textOf(typed)).toBe(`a ${MARKER} b\r`);
  });

  it('do not go on in another line', () => {
    for (const between of ['\r\n', '\n', ' \r\n', ' ', '\t'])
      expect(output(token.slice(0, 10) + between + token.slice(10))).toBe(
        token.slice(0, 10) + between + token.slice(10),
      );
  });

  it('are found whatever the pieces and calls, and are as those of the whole', () => {
    const secrets = keysOf(new Random(4), 60).map(({ text }) => text);
    const coloured = secrets.map((text) => text.replace(/.{7}/gs, '$&\x1b[3;1m'));
    const filler = fc.integer({ min: 1, max: 6_000 }).map((count) => 'word and more\r\n'.repeat(count));
    const part = fc.oneof(
      fc.constantFrom(...secrets, ...coloured),
      fc.constantFrom(
        ' ',
        '\r',
        '\n',
        ' \r',
        '\x1b',
        '\x1b[1',
        '\x1b[m',
        '\x1b[9C',
        ' \r\x1b[Kx\r',
        '\x1b]0;t',
        '\x07',
        '\x9b',
        'x',
        '\b',
        `${token.slice(0, 9)}x\b\x1b[K${token.slice(9)}`,
        token,
      ),
      { arbitrary: filler, weight: 1 },
    );
    // Each part is cut near its beginning, where the secrets are.
    const cut = fc.tuple(part, fc.array(fc.integer({ min: 0, max: 120 }), { maxLength: 4 }));
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    let found = 0;
    fc.assert(
      fc.property(fc.array(cut, { minLength: 1, maxLength: 12 }), sizes, (parts, calls) => {
        const text = parts.map(([each]) => each).join('');
        const pieces = parts.flatMap(([each, places]) => {
          const ends = [...places, each.length]
            .map((end) => Math.min(end, each.length))
            .sort((a, b) => a - b);
          return ends.map((end, index) => each.slice(ends[index - 1] ?? 0, end));
        });
        const whole = output(text);
        found += Number(whole !== text);
        const events = redacted(eventsOf('output', pieces), calls);
        expect(textOf(events)).toBe(whole);
        expect(events.map(({ timestamp }) => timestamp)).toEqual(pieces.map((_, index) => index));
        if (!/[\x1b\x9b\b]| \r/.test(text)) expect(whole).toBe(finder.redact(text));
      }),
      { numRuns: 200 },
    );
    expect(found).toBeGreaterThan(100);
  });

  it('hold back no more than what may be undecided', () => {
    const held = noHeldEvents();
    let most = 0;
    const line = `${'a line of output '.repeat(4)}\r\n`;
    for (let call = 0; call < 100; call++) {
      redactEvents(
        finder,
        eventsOf(
          'output',
          Array.from({ length: 100 }, () => line),
        ),
        held,
        false,
      );
      most = Math.max(most, textOf(held.queue.map(({ event }) => event)).length);
    }
    expect(most).toBeGreaterThan(10_000);
    expect(most).toBeLessThan(50_000);
  });
});

it('output of which nothing is shown is not held back without end', () => {
  const held = noHeldEvents();
  const unseen = eventsOf('output', ['\x1b[0m\x1b[H'.repeat(10_000)]);
  let most = 0;
  for (let call = 0; call < 60; call++) {
    redactEvents(finder, unseen, held, false);
    most = Math.max(most, textOf(held.queue.map(({ event }) => event)).length);
  }
  expect(most).toBeLessThan(1_200_000);
});

it('many secrets that were corrected take no longer each', { timeout: 10_000 }, () => {
  const events = eventsOf('output', [`${token.slice(0, 9)}x\b${token.slice(9)} `.repeat(20_000)]);
  const [{ data }] = redactEvents(finder, events, noHeldEvents(), true) as [RecordingEvent];
  expect(data.split(MARKER)).toHaveLength(20_001);
});

it('many secrets among many rows and movements take no longer each', { timeout: 10_000 }, () => {
  const events = eventsOf('output', [`${token}  \rX\rX \x1b[5C`.repeat(30_000)]);
  const [{ data }] = redactEvents(finder, events, noHeldEvents(), true) as [RecordingEvent];
  expect(data.split(MARKER)).toHaveLength(30_001);
});

describe('secrets that were typed', () => {
  it('are found key by key, up to the end of the line', () => {
    const events = redacted(eventsOf('input', [...`a ${token}\r`, ...`${token} b`]), [3]);
    expect(textOf(events)).toBe(`a ${MARKER}\r${MARKER} b`);
    expect(events).toHaveLength(token.length * 2 + 5);
  });

  it('keep their place among other events', () => {
    const [typed] = eventsOf('input', [token]);
    const events: RecordingEvent[] = [
      ...eventsOf('output', ['before ']),
      { event_type: 'resize', data: '80x24', timestamp: 1 },
      typed!,
      { event_type: 'mark', data: `asks for ${token}`, timestamp: 2 },
      ...eventsOf('output', ['after']),
      { event_type: 'input', data: '', timestamp: 3, secret: true },
    ];
    expect(redacted(events, [1])).toEqual([
      events[0],
      events[1],
      { ...typed, data: MARKER },
      { ...events[3], data: `asks for ${MARKER}` },
      events[4],
      events[5],
    ]);
  });

  it('hold back no endless output behind a line that does not end', () => {
    const held = noHeldEvents();
    redactEvents(finder, eventsOf('input', ['q']), held, false);
    let out = 0;
    for (let call = 0; call < 200; call++) {
      const events = eventsOf('output', ['x'.repeat(10_000)]);
      out += redactEvents(finder, events, held, false).length;
    }
    expect(out).toBeGreaterThan(150);
  });
});
