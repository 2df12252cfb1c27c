import { describe, expect, it } from 'vitest';
import type { EventFilter } from '../../src/actors/event-log/event-filter.js';
import type { LoggedEvent } from '../../src/actors/event-log/logged-event.js';
import { EVENT_POSITION_EVERY, EVENT_STALL_HEARTBEATS } from '../../src/contract/limits.js';
import type { EventPosition } from '../../src/contract/service-event.js';
import { EventClient } from '../../src/gateway/events/event-client.js';
import { EventParser } from '../support/event-client.js';

/** A log whose events are numbers, and a client of it that can stop reading. */
function rig(filter: EventFilter = {}, since?: EventPosition) {
  const events = new Map<number, LoggedEvent>();
  const source = {
    epoch: 'abcdefgh',
    last: 0,
    at: (n: number) => events.get(n),
    whyGone: ({ n }: EventPosition) => (n > source.last ? 'gone' : undefined),
    onNews: () => () => undefined,
    onPassing: () => () => undefined,
  };
  const got: string[] = [];
  const parser = new EventParser(({ id, type }) => got.push(`${id.split('-')[1]} ${type}`));
  const sink = { isFull: false, waiting: 0, ended: 0, writes: 0 };
  const client = new EventClient(
    {
      source,
      filter,
      instanceId: 'instance',
      sink: {
        write: (text) => {
          sink.writes++;
          parser.take(text);
          if (sink.isFull) sink.waiting += text.length;
          return !sink.isFull;
        },
        get waiting() {
          return sink.waiting;
        },
        end: () => void sink.ended++,
      },
    },
    since,
  );
  const add = (type: string, terminalId?: string, labels = {}) => {
    const n = ++source.last;
    events.set(n, { type, terminalId, labels, json: JSON.stringify({ type }), bytes: 1 });
    client.pump();
  };
  return { client, source, events, got, parser, sink, add };
}

describe('a client of the event stream', () => {
  it('gets each event once and in order', () => {
    const { got, add } = rig();
    for (const type of ['a', 'b', 'c']) add(type);
    expect(got).toEqual(['0 ready', '1 a', '2 b', '3 c']);
  });

  it('keeps its position up to date where a filter leaves events out', () => {
    const { client, got, parser, add } = rig({ types: new Set(['a']) });
    add('a');
    for (let n = 1; n < EVENT_POSITION_EVERY; n++) add('b');
    expect(parser.lastEventId).toBe('abcdefgh-1');
    add('b');
    expect(parser.lastEventId).toBe(`abcdefgh-${EVENT_POSITION_EVERY + 1}`);
    add('b');
    client.heartbeat();
    expect(parser.lastEventId).toBe(`abcdefgh-${EVENT_POSITION_EVERY + 2}`);
    const { comments } = parser;
    client.heartbeat();
    expect([parser.comments, got]).toEqual([comments + 1, ['0 ready', '1 a']]);
  });

  it('selects by terminal and by labels, and then gets no events of the service', () => {
    const filters: [EventFilter, string[]][] = [
      [{ terminals: new Set(['one']) }, ['1 a', '3 c']],
      [{ selector: { role: 'x' } }, ['2 b', '3 c']],
      [{ terminals: new Set(['one']), selector: { role: 'x' } }, ['3 c']],
    ];
    for (const [filter, expected] of filters) {
      const { got, add } = rig(filter);
      add('a', 'one');
      add('b', 'other', { role: 'x' });
      add('c', 'one', { role: 'x' });
      add('d');
      expect(got.slice(1)).toEqual(expected);
    }
  });

  it('gets a resync after an impossible position, and when another epoch begins', () => {
    const { client, source, events, got, add } = rig({}, { epoch: 'abcdefgh', n: 7 });
    add('a');
    events.clear();
    Object.assign(source, { epoch: 'ijklmnop', last: 0 });
    client.pump();
    add('b');
    expect(got).toEqual(['0 ready', '0 resync', '1 a', '0 resync', '1 b']);
  });

  it('is given nothing while it does not read, and all of it afterwards', () => {
    const { client, got, sink, add } = rig();
    sink.isFull = true;
    add('a');
    const { writes } = sink;
    for (let n = 0; n < 100; n++) add('b');
    client.heartbeat();
    expect([sink.writes, got]).toEqual([writes, ['0 ready', '1 a']]);
    Object.assign(sink, { isFull: false, waiting: 0 });
    client.drained();
    expect(got).toHaveLength(102);
    expect(got.at(-1)).toBe('101 b');
  });

  it('gets events that are not kept only by name, and keeps its position', () => {
    const passing = { type: 'p', terminalId: 'one', labels: {}, json: '{"type":"p"}', bytes: 1 };
    for (const [filter, expected] of [
      [{}, ['0 ready', '1 a']],
      [{ types: new Set(['a', 'p']) }, ['0 ready', '1 a', '1 p']],
      [{ types: new Set(['a', 'p']), terminals: new Set(['other']) }, ['0 ready']],
    ] as const) {
      const { client, got, sink, add } = rig(filter);
      add('a', 'one');
      client.pass(passing);
      sink.isFull = true;
      client.heartbeat();
      client.pass(passing);
      expect(got).toEqual(expected);
    }
  });

  it('is disconnected when what it lacks is no longer kept', () => {
    const { client, events, sink, add } = rig();
    sink.isFull = true;
    add('a');
    add('b');
    events.delete(2);
    sink.isFull = false;
    expect(sink.ended).toBe(0);
    client.drained();
    expect(sink.ended).toBe(1);
  });

  it('is disconnected when it takes nothing for some heartbeats in a row', () => {
    const { client, sink, add } = rig();
    const beat = (times: number) => {
      for (let left = times; left > 0; left--) client.heartbeat();
    };
    sink.isFull = true;
    add('a');
    beat(EVENT_STALL_HEARTBEATS - 1);
    sink.waiting--;
    beat(EVENT_STALL_HEARTBEATS);
    expect(sink.ended).toBe(0);
    beat(1);
    expect(sink.ended).toBe(1);
  });
});
