import { afterEach, describe, expect, it, vi } from 'vitest';
import { fedTerminal as terminal } from '../support/fed-terminal.js';
import { linesOf } from '../support/screen-rows.js';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('SearchFeed', () => {
  it('feeds printed text, once', async () => {
    const { write, settle, contents, posted } = terminal();
    write('one\r\ntwo\r\n');
    await settle();
    await settle();
    write('\x1b[31mthree\x1b[m\r\n');
    await settle();
    expect(contents()).toEqual(['one\ntwo', 'three']);
    expect(posted.map(({ type, id, leftOut }) => ({ type, id, leftOut }))).toEqual([
      { type: 'printed', id: 't', leftOut: 0 },
      { type: 'printed', id: 't', leftOut: 0 },
    ]);
  });

  it('passes all output on to the screen', async () => {
    const { write, screenActor } = terminal();
    for (let line = 0; line < 30_000; line++) write(`line ${line}\r\n`);
    expect(await screenActor.ask(({ screen }) => linesOf(screen).at(-1))).toBe('line 29999');
  });

  it('feeds later text after text that could not be posted', async () => {
    const faults: unknown[] = [];
    const { write, settle, contents, posted } = terminal({ fault: (error) => void faults.push(error) });
    vi.spyOn(posted, 'push').mockImplementationOnce(() => {
      throw new Error('the port is closed');
    });
    for (const line of ['one\r\n', 'two\r\n']) {
      write(line);
      await settle();
    }
    expect(contents()).toEqual(['two']);
    expect(faults).toEqual([new Error('the port is closed')]);
  });

  it('cuts no line of much output in two', async () => {
    const { feed, settle, contents } = terminal();
    const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index} ${'.'.repeat(index % 70)}|`);
    const bytes = Buffer.from(`${lines.join('\r\n')}\r\n`);
    for (let from = 0; from < bytes.length; from += 5_001) feed.write(bytes.subarray(from, from + 5_001));
    await settle();
    expect(contents().length).toBeGreaterThan(5);
    expect(contents().join('\n').split('\n')).toEqual(lines);
  });

  it('goes on in the middle of a line, and of an escape sequence', async () => {
    const { write, settle, contents } = terminal();
    for (const part of ['first ha', 'lf\r\n\x1b[3', '1mred\r\n\x1b]0;tit', 'le\x07end\r\n']) {
      write(part);
      await settle();
    }
    expect(contents()).toEqual(['first ha', 'lf', 'red', 'end']);
  });

  it('leaves out text that a program drew on the alternate screen', async () => {
    const { write, settle, contents } = terminal();
    write('before\r\n\x1b[?1049h\x1b[HEDITOR');
    await settle();
    write('MORE OF IT');
    await settle();
    write('\x1b[?1049lafter\r\n');
    await settle();
    expect(contents()).toEqual(['before', 'after']);
  });

  it('wraps lines as the screen did, across a resize', async () => {
    const { feed, screenActor, write, settle, contents } = terminal();
    write(`${'a'.repeat(100)}\r\n`);
    screenActor.resized(40, 10);
    feed.resized(40, 10);
    write(`${'b'.repeat(100)}\r\n`);
    await settle();
    expect(contents()).toEqual([`${'a'.repeat(100)}\n${'b'.repeat(100)}`]);
  });

  it('goes on after the cursor of another shard, and with all output if the cursor is of another terminal', async () => {
    const first = terminal();
    first.write('one\r\ntw');
    await first.settle();
    const cursor = first.posted.at(-1)?.cursor;
    const replay = 'one\r\ntwo\r\nthree\r\n';
    const second = terminal({ cursor, end: replay.length });
    second.write(replay.slice(0, 3));
    second.write(replay.slice(3));
    await second.settle();
    expect(second.contents()).toEqual(['o\nthree']);
    const stranger = terminal({ cursor: 'zzzz-0-0-0', end: replay.length });
    stranger.write(replay);
    await stranger.settle();
    expect(stranger.contents()).toEqual(['one\ntwo\nthree']);
  });

  it('takes part of a flood, counts the rest, and reads on when it can', async () => {
    const { write, settle, contents, leftOut, screenActor } = terminal();
    const line = `${'flood '.repeat(12)}\r\n`;
    const chunk = line.repeat(1_000);
    const total = 200 * chunk.length;
    for (let index = 0; index < 200; index++) {
      write(chunk);
      await screenActor.ask(() => undefined);
    }
    await settle();
    const lines = contents().join('\n').split('\n');
    expect(new Set(lines)).toEqual(new Set([line.trimEnd()]));
    expect(lines.length * line.length + leftOut()).toBe(total);
    expect(leftOut()).toBeGreaterThan(total / 3);
    expect(lines.length * line.length).toBeGreaterThan(2_000_000);
  });

  it('leaves out text, and counts it, while the main thread is behind', async () => {
    const { write, settle, contents, leftOut, port } = terminal();
    port.isFull = true;
    write('lost\r\n');
    await settle();
    port.isFull = false;
    write('found\r\n');
    await settle();
    expect(contents()).toEqual(['found']);
    expect(leftOut()).toBe(6);
  });

  it('feeds and counts nothing while the setting is off', async () => {
    const { write, settle, posted, contents, leftOut, renderer } = terminal();
    renderer.isOn = false;
    write('off\r\n');
    await settle();
    // The position is still posted, so that a later restart does not feed this text.
    expect(posted).toMatchObject([{ content: '', leftOut: 0, cursor: '5-1-0-0' }]);
    write('printed while off, ');
    renderer.isOn = true;
    write('and after it\r\n');
    await settle();
    expect([contents(), leftOut()]).toEqual([['and after it'], 0]);
    write('on\r\n');
    await settle();
    expect(contents()).toEqual(['and after it', 'on']);
  });

  it('returns its room, and reports the fault, when the screen cannot be asked', async () => {
    const faults: unknown[] = [];
    const { write, settle, contents, leftOut, screenActor } = terminal({
      fault: (error) => faults.push(error),
    });
    // From here on the screen has to be asked.
    write('\x1b[H');
    await settle();
    const ask = vi.spyOn(screenActor, 'askPlace');
    const line = `${'x'.repeat(78)}\r\n`;
    for (let round = 0; round < 40; round++) {
      ask.mockRejectedValueOnce(new Error('no answer'));
      // All rounds together exceed the room, but no round exceeds the amount that a terminal may feed at once.
      write(line.repeat(2_000));
      await settle();
      vi.spyOn(performance, 'now').mockReturnValue(1e6 * (round + 1));
    }
    expect(faults).toHaveLength(40);
    write('not known where this begins\r\n');
    await settle();
    write('found again\r\n');
    await settle();
    expect(contents()).toEqual(['found again']);
    expect(leftOut()).toBe(40 * 2_000 * 80 + 29);
  });

  it('feeds by itself: when it is quiet, at a line end once it is time, at the latest after 5 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { write, contents, posted } = terminal();
    const elapse = async (ms: number, text = '') => {
      vi.advanceTimersByTime(ms);
      if (text !== '') write(text);
      // Parsing and rendering use setImmediate, which is real.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    await elapse(0, 'quiet\r\n');
    await elapse(999);
    expect(contents()).toEqual([]);
    await elapse(1);
    expect(contents()).toEqual(['quiet']);
    for (let part = 0; part < 9; part++) await elapse(500, `busy ${part}\r\n`);
    expect(contents()).toEqual(['quiet', Array.from({ length: 9 }, (_, part) => `busy ${part}`).join('\n')]);
    for (let part = 0; part < 12; part++) await elapse(500, '.');
    expect(posted).toHaveLength(3);
  });
});
