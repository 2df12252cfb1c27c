import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AWAITED_OUTPUT_MS, CALM_OUTPUT_MS, GATHERED_OUTPUT_BYTES } from '../../src/contract/limits.js';
import type { Attachment } from '../../src/workers/pty-host/log/attachment.js';
import { AwaitedOutput } from '../../src/workers/pty-host/log/awaited-output.js';
import { Peer } from '../../src/workers/pty-host/wire/peer.js';

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'],
    }),
);
afterEach(() => void vi.useRealTimers());

/** A connection that takes everything; `sent` holds the terminals whose output was sent to it, in order. */
function rig() {
  const socket = Object.assign(new EventEmitter(), {
    ...{ destroyed: false, writableLength: 0, writableNeedDrain: false },
    ...{ cork: () => {}, uncork: () => {}, write: () => true, destroy: () => {} },
  });
  const peer = new Peer(socket as unknown as Socket, { frame: () => {}, closed: () => {}, log: () => {} });
  const sent: string[] = [];
  const terminal = (name: string) => {
    let waiting = 0;
    const attachment = {
      sent: 0,
      send: () => {
        if (waiting > 0) sent.push(name);
        const had = waiting > 0;
        waiting = 0;
        return had;
      },
    } as unknown as Attachment;
    const print = (isUrgent = false) => {
      waiting++;
      peer.wake(attachment, isUrgent);
    };
    return { print, hurry: () => peer.hurry(attachment) };
  };
  const [a, b] = [terminal('a'), terminal('b')];
  /** Ends the turn of the event loop. */
  const turn = () => vi.advanceTimersByTime(0);
  return { a, b, sent, turn };
}

describe('output for which nobody waits', () => {
  it('is sent at once after a pause, and gathered for a moment while more comes', () => {
    const { a, b, sent, turn } = rig();
    a.print();
    turn();
    expect(sent).toEqual(['a']);
    a.print();
    b.print();
    vi.advanceTimersByTime(CALM_OUTPUT_MS - 1);
    b.print();
    expect(sent).toEqual(['a']);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual(['a', 'a', 'b']);
    vi.advanceTimersByTime(CALM_OUTPUT_MS);
    b.print();
    turn();
    expect(sent).toEqual(['a', 'a', 'b', 'b']);
  });

  it('goes with the next output for which somebody waits, in order', () => {
    const { a, b, sent, turn } = rig();
    a.print();
    turn();
    a.print();
    b.print(true);
    turn();
    expect(sent).toEqual(['a', 'a', 'b']);
    vi.advanceTimersByTime(CALM_OUTPUT_MS);
    expect(sent).toEqual(['a', 'a', 'b']);
  });

  it('is sent at once when its terminal is asked for it, and only if it has any', () => {
    const { a, b, sent, turn } = rig();
    a.print();
    turn();
    a.print();
    b.hurry();
    turn();
    expect(sent).toEqual(['a']);
    a.hurry();
    turn();
    expect(sent).toEqual(['a', 'a']);
  });
});

describe('somebody may wait', () => {
  const urgent = (output: AwaitedOutput, position: number): boolean => {
    const wake = vi.fn();
    output.printed({ sent: 0, wake } as unknown as Attachment, position);
    return wake.mock.calls[0]![0] as boolean;
  };

  it('for what is printed after input, for a while, and for a lot of output', () => {
    const output = new AwaitedOutput();
    expect(urgent(output, 1)).toBe(false);
    expect(urgent(output, GATHERED_OUTPUT_BYTES)).toBe(true);
    let hurried = 0;
    output.typed({ hurry: () => hurried++ } as unknown as Attachment);
    expect(hurried).toBe(1);
    vi.advanceTimersByTime(AWAITED_OUTPUT_MS - 1);
    expect(urgent(output, 1)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(urgent(output, 1)).toBe(false);
  });
});
