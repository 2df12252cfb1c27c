import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BACKGROUND_MS } from '../../src/contract/limits.js';
import type { Awaited } from '../../src/workers/shard/protocol.js';
import type { Mark } from '../../src/workers/shard/stages/mark.js';
import { awaitedTerminal as terminal } from '../support/awaited-terminal.js';

const text = (text: string, since?: string): Awaited => ({ kind: 'text', text, ...(since && { since }) });

describe('a wait for a text', () => {
  it('finds text that the screen shows', async () => {
    const { write, wait } = terminal();
    write('the needle is here\r\n');
    const found = wait(text('needle'));
    await found.ended;
    expect(found.outcome).toEqual([20]);
  });

  it('finds later text, in pieces and colours', async () => {
    const { write, wait, settled } = terminal();
    const found = wait(text('needle'));
    await settled();
    for (const part of ['a nee', '\x1b[3', '1md', 'le']) write(part);
    await found.ended;
    expect(found.outcome).toEqual([13]);
  });

  it('finds text that comes between the call and the first look', async () => {
    const { write, wait } = terminal();
    write('nee');
    const found = wait(text('needle'));
    write(`dle\r\n${'flood\r\n'.repeat(1_000)}`);
    await found.ended;
    expect(found.outcome).toHaveLength(1);
  });

  it('finds text that began before the call', async () => {
    const { write, wait, settled } = terminal();
    write('a nee');
    const found = wait(text('needle'));
    await settled();
    write('dle');
    await found.ended;
    expect(found.outcome).toEqual([8]);
  });

  it('finds text that a program draws piece by piece, at once after a pause', async () => {
    const { write, wait, settled } = terminal();
    const found = wait(text('needle'));
    await settled();
    const drawing = '\x1b[?1049h\x1b[3;10Hdle\x1b[3;7Hnee';
    write(drawing);
    await found.ended;
    expect(found.outcome).toEqual([drawing.length]);
  });

  it.each([false, true])('finds text drawn between the call and the first look: exit %s', async (isExit) => {
    const { write, wait, waits } = terminal();
    const [found, missing] = [wait(text('needle')), wait(text('never'))];
    write('\x1b[?1049h\x1b[3;10Hdle\x1b[3;7Hnee');
    if (isExit) waits.exited();
    await found.ended;
    expect(found.outcome).toEqual([27]);
    if (isExit) await missing.ended;
    expect(missing.outcome).toEqual(isExit ? ['terminal-not-found'] : []);
  });

  it('finds wrapped text, on the screen and in the stream', async () => {
    const { write, wait, settled } = terminal();
    write(`${' '.repeat(37)}needle\r\n`);
    const shown = wait(text('needle'));
    await shown.ended;
    const printed = wait(text('noodle'));
    await settled();
    write(`${'\r\n'.repeat(20)}${' '.repeat(37)}noodle${'\r\n'.repeat(20)}`);
    await printed.ended;
    expect([shown.outcome.length, printed.outcome.length]).toEqual([1, 1]);
  });

  it('does not find text that only seems adjacent', async () => {
    const { write, wait, settled } = terminal();
    const { outcome } = wait(text('needle'));
    await settled();
    write('nee\x1b[2;1Hdle\r\n');
    write('nee\r\ndle');
    write('\x1b]0;needle\x07');
    await settled();
    expect(outcome).toEqual([]);
  });

  it('finds text printed since a cursor, though it is off the screen, and nothing older', async () => {
    const { write, wait, cursor, settled } = terminal();
    write('old needle\r\n');
    const since = await cursor();
    write(`new thing\r\n${'.\r\n'.repeat(50)}`);
    const found = wait(text('new thing', since));
    await found.ended;
    expect(found.outcome).toHaveLength(1);
    const older = wait(text('needle', since));
    await settled();
    write('\x1b[2;1Hmore');
    await settled();
    expect(older.outcome).toEqual([]);
    write('needle');
    await older.ended;
  });

  it('finds text drawn since a cursor, though older text stands there', async () => {
    const { write, wait, cursor, settled } = terminal();
    write('\x1b[?1049h\x1b[1;1Hneedle');
    const since = await cursor();
    write('\x1b[3;4Hdle\x1b[3;1Hne');
    const found = wait(text('needle', since));
    await settled();
    expect(found.outcome).toEqual([]);
    write('\x1b[3;3He');
    await found.ended;
    expect(found.outcome).toHaveLength(1);
  });

  it('refuses a cursor of another terminal', async () => {
    const { wait } = terminal();
    const refused = wait(text('x', 'zz-0-0-0'));
    await refused.ended;
    expect(refused.outcome).toEqual(['invalid-cursor']);
  });
});

describe('a wait for a text at a prompt', () => {
  it('takes no line that has just ended for one of a background program, though nothing waited when it came', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'hrtime', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { write, wait, tracker, screenActor } = terminal();
    const mark = (kind: 'promptStart' | 'promptEnd') =>
      tracker.shellRanges.take({ kind, key: '', pid: 1, begin: 0, end: 0 } satisfies Mark);
    mark('promptStart');
    mark('promptEnd');
    vi.advanceTimersByTime(10 * BACKGROUND_MS);
    write('$ needle\r\n');
    const found = wait(text('needle'));
    await screenActor.ask(() => undefined);
    await vi.advanceTimersByTimeAsync(BACKGROUND_MS - 1);
    expect(found.outcome).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(found.outcome).toEqual([10]);
  });
});
