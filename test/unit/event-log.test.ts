import { describe, expect, it } from 'vitest';
import { EventLog } from '../../src/actors/event-log/event-log.js';
import { eventRecordId, HEAD, type KeptLogRecord } from '../../src/actors/event-log/kept-log.js';
import { eventually } from '../support/processes.js';
import { MemoryShelf } from '../support/shelf.js';

type LogShelf = MemoryShelf<KeptLogRecord>;

interface Opened {
  shelf?: LogShelf;
  boot?: string | null;
  maxEvents?: number;
}

/** Ends the log's pause before its next try. */
let retry: () => void = () => {};

async function open({ shelf = new MemoryShelf(), boot = 'boot-1', maxEvents = 10 }: Opened = {}) {
  const log = await EventLog.open({
    shelf,
    boot,
    maxEvents,
    maxBytes: 1_000_000,
    logger: { error: () => undefined },
    pause: (_ms, signal) =>
      new Promise<void>((resolve) => {
        retry = resolve;
        // The log may have been closed just before.
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve());
      }),
  });
  return { log, shelf };
}

function say(log: EventLog, ...names: string[]): void {
  for (const name of names) log.append({ type: 'terminal.removed', terminalId: name, data: {} }, { name });
}

const written = (log: EventLog, last: number) =>
  eventually('the log is written', async () => log.last >= last);

/** Returns the names of the events that can be read, by number. */
function read(log: EventLog): Record<number, string | undefined> {
  const events: Record<number, string | undefined> = {};
  for (let n = 0; n <= log.last + 20; n++) {
    const event = log.at(n);
    if (event) events[n] = event.terminalId;
  }
  return events;
}

describe('the log of events', () => {
  it('lets an event be read only once it is on disk', async () => {
    const { log, shelf } = await open();
    let news = 0;
    const ignore = log.onNews(() => {
      news++;
      expect(shelf.records.has(eventRecordId(log.last))).toBe(true);
    });
    say(log, 'a', 'b');
    expect([log.last, read(log)]).toEqual([0, {}]);
    await written(log, 2);
    expect([read(log), news]).toEqual([{ 1: 'a', 2: 'b' }, 1]);
    ignore();
    say(log, 'c');
    await written(log, 3);
    expect(news).toBe(1);
    expect(JSON.parse(log.at(3)?.json ?? '')).toEqual({
      type: 'terminal.removed',
      terminalId: 'c',
      data: {},
      timestamp: expect.any(String),
    });
  });

  it.each(['closed', 'killed'])('goes on where a %s service has left it', async (end) => {
    const { log, shelf } = await open({ maxEvents: 3 });
    say(log, 'a', 'b', 'c', 'd');
    const fact = { kind: 'run' } as never;
    log.note(
      new Map([
        ['one', fact],
        ['two', fact],
      ]),
    );
    log.note(new Map([['one', null]]));
    await written(log, 4);
    if (end === 'closed') await log.close();
    const { log: next } = await open({ shelf, maxEvents: 3 });
    expect([next.epoch, next.isContinued, next.last]).toEqual([log.epoch, true, 4]);
    expect([read(next), [...next.facts]]).toEqual([{ 2: 'b', 3: 'c', 4: 'd' }, [['two', fact]]]);
    expect(next.at(3)).toEqual(log.at(3));
    say(next, 'e');
    await written(next, 5);
    expect(read((await open({ shelf, maxEvents: 3 })).log)).toEqual({ 3: 'c', 4: 'd', 5: 'e' });
  });

  it.each<[string, Opened, (shelf: LogShelf) => void, 'closed' | 'killed', boolean]>([
    ['the machine has restarted after a clean stop', { boot: 'boot-2' }, () => {}, 'closed', true],
    ['the machine has stopped with the service', { boot: 'boot-2' }, () => {}, 'killed', false],
    ['it is unknown whether the machine has stopped', { boot: null }, () => {}, 'killed', false],
    ['the head is gone', {}, (shelf) => shelf.records.delete(HEAD), 'closed', false],
    ['an event is gone', {}, (shelf) => shelf.records.delete(eventRecordId(2)), 'closed', false],
    [
      'there are more events than the head knows',
      {},
      (shelf) => shelf.records.set(eventRecordId(4), shelf.records.get(eventRecordId(3)) ?? ''),
      'closed',
      false,
    ],
  ])('when %s', async (_name, options, spoil, end, isContinued) => {
    const { log, shelf } = await open();
    say(log, 'a', 'b', 'c');
    await written(log, 3);
    if (end === 'closed') await log.close();
    spoil(shelf);
    const { log: next } = await open({ ...options, shelf });
    expect([next.isContinued, next.epoch === log.epoch]).toEqual([isContinued, isContinued]);
    if (isContinued) return;
    expect([next.last, next.facts.size, shelf.ids('event/')]).toEqual([0, 0, []]);
    expect(next.whyGone({ epoch: log.epoch, n: 3 })).toEqual(expect.any(String));
  });

  it('says which positions it can go on from', async () => {
    const { log } = await open({ maxEvents: 3 });
    say(log, 'a', 'b', 'c', 'd', 'e');
    await written(log, 5);
    const can = (n: number, epoch = log.epoch) => log.whyGone({ epoch, n }) === undefined;
    expect([0, 1, 2, 5, 6].map((n) => can(n))).toEqual([false, false, true, true, false]);
    expect(can(3, 'zzzzzzzz')).toBe(false);
  });
});

describe('the log of events on a full disk', () => {
  it('begins another epoch, whose events nobody gets while the disk has the log of the one before', async () => {
    const { log, shelf } = await open();
    say(log, 'a');
    await written(log, 1);
    const { epoch } = log;
    shelf.isFull = true;
    say(log, 'b');
    await eventually('the epoch is over', async () => log.epoch !== epoch);
    say(log, 'c');
    expect([log.last, read(log)]).toEqual([0, {}]);
    // The service dies, and the next service finds room; events that were not written were not sent either.
    shelf.isFull = false;
    const { log: next } = await open({ shelf });
    expect([next.epoch, read(next)]).toEqual([epoch, { 1: 'a' }]);
  });

  it('serves events from memory once the disk has no log, and writes all of them when it can', async () => {
    const { log, shelf } = await open();
    say(log, 'a');
    await written(log, 1);
    const { epoch } = log;
    // The write fails, and the removal of the head succeeds.
    const write = shelf.write.bind(shelf);
    shelf.write = async (changes) => {
      if (changes.put.size > 0) shelf.isFull = true;
      await write(changes).finally(() => {
        shelf.isFull = false;
      });
    };
    say(log, 'b');
    await eventually('b is served', async () => log.epoch !== epoch && log.last === 1);
    expect([read(log), log.epoch === epoch, shelf.ids(HEAD)]).toEqual([{ 1: 'b' }, false, []]);
    say(log, 'c');
    expect(read(log)).toEqual({ 1: 'b', 2: 'c' });
    expect((await open({ shelf: copyOf(shelf) })).log.isContinued).toBe(false);
    shelf.write = write;
    await eventually('all of it is written', async () => {
      retry();
      return shelf.ids(HEAD).length > 0;
    });
    say(log, 'd');
    await written(log, 3);
    const { log: next } = await open({ shelf });
    expect([next.epoch, read(next)]).toEqual([log.epoch, { 1: 'b', 2: 'c', 3: 'd' }]);
  });

  it('writes what it has at the end', async () => {
    const { log, shelf } = await open();
    shelf.isFull = true;
    say(log, 'a');
    const { epoch } = log;
    await eventually('the epoch is over', async () => log.epoch !== epoch);
    shelf.isFull = false;
    await log.close();
    const { log: next } = await open({ shelf, boot: null });
    expect([next.epoch, read(next)]).toEqual([log.epoch, { 1: 'a' }]);
  });
});

function copyOf(shelf: LogShelf): LogShelf {
  const copy: LogShelf = new MemoryShelf();
  for (const [id, text] of shelf.records) copy.records.set(id, text);
  return copy;
}
