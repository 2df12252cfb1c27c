import { describe, expect, it } from 'vitest';
import { eventFrame, HEARTBEAT } from '#dist/gateway/events/frame-text.js';
import { NumberedEvents, nameOf } from '../../bench/support/numbered-events.js';

const READY = 'event: ready\nid: e-0\ndata: {"type":"ready"}\n\n';

function changed(terminal: number, number: number): string {
  const json = JSON.stringify({ type: 'terminal.updated', data: { name: nameOf(terminal, number) } });
  return eventFrame({ epoch: 'e', n: 1 }, { type: 'terminal.updated', json });
}

describe('the numbered events of the bench', () => {
  it('are ready with the first message, and then have a time each, however they are cut', () => {
    const text = [READY, changed(0, 0), HEARTBEAT, changed(3, 0), changed(0, 1)].join('');
    for (const size of [1, 7, text.length]) {
      const events = new NumberedEvents();
      expect(events.isReady).toBe(false);
      for (let at = 0; at < text.length; at += size) events.take(text.slice(at, at + size), at);
      expect(events.isReady).toBe(true);
      expect(events.times).toHaveLength(3);
      expect(events.times).toEqual(events.times.toSorted((a, b) => a - b));
    }
  });

  it.each([
    ['is missing', [changed(0, 0), changed(0, 2)], 'change 2 of terminal 0, not 1'],
    ['comes twice', [changed(0, 0), changed(0, 0)], 'change 0 of terminal 0, not 1'],
    ['is no longer kept', ['event: resync\ndata: {}\n\n'], 'resync'],
  ])('fail if an event %s', (_what, messages, failure) => {
    expect(() => new NumberedEvents().take(messages.join(''), 1)).toThrow(failure);
  });
});
