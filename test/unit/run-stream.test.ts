import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RunStream, streamedKept } from '../../src/actors/runs/run-stream.js';
import { DomainError } from '../../src/contract/errors.js';
import type { RunStreamEvent } from '../../src/contract/run.js';
import { cursor, FakePart, kept } from '../support/fake-part.js';

function open(parts: FakePart[]) {
  const byId = new Map(parts.map((part) => [part.id, part]));
  const client = new AbortController();
  let isClosed = false;
  const stream = new RunStream(
    { run: { state: 'finished' }, parts },
    {
      screens: {
        rangePiece: (id, query, deadlineMs) => byId.get(id)!.read(query, deadlineMs),
        until: (id, awaited, _ms, signal) =>
          byId.get(id)!.until((awaited as { after: number }).after, signal),
      },
      commands: { follow: (id, listener) => byId.get(id)!.onChange(() => listener({ kind: 'gone' })) },
      client: client.signal,
      onClose: () => {
        isClosed = true;
      },
    },
  );
  const events = stream.events();
  return {
    ...{ client, stream, events, isClosed: () => isClosed },
    next: async () => (await events.next()).value,
    async rest() {
      const all: RunStreamEvent[] = [];
      for await (const event of events) all.push(event);
      stream.close();
      return all;
    },
  };
}

const output = (terminalId: string, text: string) => ({ type: 'output', terminalId, text });
const shown = (events: RunStreamEvent[]) =>
  events.map((event) =>
    event.type === 'output' ? event.text : event.type === 'redrawn' ? event.lines : event.type,
  );

describe('the stream of a run', () => {
  it('reads nothing that it is not asked for, and stops all waits when it is closed', async () => {
    const part = new FakePart('a');
    part.printed = [{ start: cursor(0) }];
    part.print('one\n');
    const { next, stream, events, isClosed } = open([part]);
    expect(part.reads).toBe(0);
    expect(await next()).toEqual(output('a', 'one\n'));
    part.print('two\nth');
    await nextTurn();
    expect(part.reads).toBe(1);
    expect(await next()).toEqual(output('a', 'two\n'));
    const waiting = events.next().catch((error: unknown) => error);
    await nextTurn();
    expect(part.followers).toBeGreaterThan(0);
    stream.close();
    expect([part.followers, isClosed()]).toEqual([0, true]);
    void waiting;
  });

  it('rejects with the reason of a client that leaves', async () => {
    const { client, events } = open([new FakePart('a')]);
    const waiting = events.next();
    client.abort(new DomainError('client-gone'));
    await expect(waiting).rejects.toThrow(DomainError);
  });

  it('waits for a shard that is too busy to answer soon, with one read', async () => {
    const part = new FakePart('a');
    part.printed = [{ start: cursor(0) }];
    part.answerMs = 120_000;
    part.print('one\n');
    const { next, stream } = open([part]);
    expect(await next()).toEqual(output('a', 'one\n'));
    expect(part.reads).toBe(1);
    stream.close();
  });

  it('throws a read away that reaches beyond the end of the command', async () => {
    const part = new FakePart('a');
    part.printed = [{ start: cursor(0) }];
    part.print('one\nprompt\n');
    part.beforeAnswer = () => {
      part.beforeAnswer = () => {};
      part.change({ printed: [{ start: cursor(0), end: cursor(4) }] });
    };
    const { next, rest } = open([part]);
    expect(await next()).toEqual(output('a', 'one\n'));
    part.print('more of the prompt\n');
    part.change({ kept: kept('a', 'one\n') });
    expect(shown(await rest())).toEqual(['result', 'end']);
  });

  it('goes from one command of the run to the next, without what is between them', async () => {
    const part = new FakePart('a');
    part.print('one\nprompt\ntwo');
    part.printed = [{ start: cursor(0), end: cursor(4) }];
    const { next, rest } = open([part]);
    expect(await next()).toEqual(output('a', 'one\n'));
    part.change({ printed: [...part.printed, { start: cursor(11), end: cursor(14) }] });
    expect(await next()).toEqual(output('a', 'two'));
    part.change({ kept: kept('a', 'one\ntwo') });
    expect(shown(await rest())).toEqual(['result', 'end']);
  });

  it('has one result of each terminal, however often it changes meanwhile', async () => {
    const parts = ['a', 'b', 'c'].map((id) => new FakePart(id));
    for (const part of parts) {
      part.print('one\n');
      part.printed = [{ start: cursor(0) }];
      // The terminal becomes ready again also during the last read.
      part.beforeAnswer = () => part.kept && part.change({});
    }
    const [one, ...others] = parts;
    const { next, rest } = open(parts);
    for (const { id } of parts) expect(await next()).toEqual(output(id, 'one\n'));
    const all = rest();
    const end = (part: FakePart) =>
      part.change({ printed: [{ start: cursor(0), end: cursor(4) }], kept: kept(part.id, 'one\n') });
    end(one!);
    // The last turn of the first part is over before the others end.
    while (one!.followers > 0) await nextTurn();
    for (const part of others) {
      await nextTurn();
      end(part);
    }
    const events = await all;
    const results = events.flatMap((event) => (event.type === 'result' ? event.terminalId : []));
    expect(results.sort()).toEqual(['a', 'b', 'c']);
    expect(shown(events)).toEqual(['result', 'result', 'result', 'end']);
  });

  it('ends pieces with whole characters, and keeps them small', async () => {
    const part = new FakePart('a');
    part.kept = kept('a', `x${'😀'.repeat(100_000)}`);
    const texts = (await open([part]).rest()).flatMap((event) => (event.type === 'output' ? event.text : []));
    expect(texts.length).toBe(4);
    expect(texts.every((text) => text.length <= 64 * 1024 && !/[\ud800-\udbff]$/.test(text))).toBe(true);
    expect(texts.join('')).toBe(part.kept.result.raw);
  });

  it.each<[string, string, boolean, (string | number)[]]>([
    ['the rest of what is kept', 'one\ntwo\nend', false, ['two\nend', 'result', 'end']],
    ['all of it, if it was drawn anew', 'ONE\ntwo\n', false, [1, 'ONE\ntwo\n', 'result', 'end']],
    ['nothing, if all was sent', 'one\n', false, ['result', 'end']],
    ['a gap, if only the end is kept', 'o\n', true, ['gap', 'result', 'end']],
  ])('has from a terminal that was closed meanwhile %s', async (_name, raw, truncated, expected) => {
    const part = new FakePart('a');
    part.printed = [{ start: cursor(0) }];
    part.print('one\n');
    const { next, rest } = open([part]);
    expect(await next()).toEqual(output('a', 'one\n'));
    part.isGone = true;
    part.change({ kept: kept('a', raw, truncated) });
    expect(shown(await rest())).toEqual(expected);
  });

  it('takes back what turns out not to be output of the run', async () => {
    const part = new FakePart('a');
    part.printed = [{ start: cursor(0) }];
    part.print('not\nmine\n');
    const { next, rest } = open([part]);
    expect(await next()).toEqual(output('a', 'not\nmine\n'));
    part.change({ printed: [], kept: kept('a', '') });
    expect(shown(await rest())).toEqual([2, 'result', 'end']);
  });

  it('of a run that is over has what is kept, after a gap if that is not all', async () => {
    const parts = new Map([kept('a', 'all'), kept('b', 'the end', true)].entries());
    const run = { terminalIds: ['a', 'b', 'c'], state: 'cancelled' };
    const options = { screens: {}, commands: {}, client: new AbortController().signal, onClose: () => {} };
    const stream = new RunStream(streamedKept(run as never, parts), options as never);
    const events: RunStreamEvent[] = [];
    for await (const event of stream.events()) events.push(event);
    expect(shown(events)).toEqual(['all', 'result', 'gap', 'the end', 'result', 'end']);
    expect(events.at(-1)).toMatchObject({ state: 'cancelled', summary: { total: 2 } });
  });

  it('of 500 terminals asks each a few times, and lets none wait for another', async () => {
    const parts = Array.from({ length: 500 }, (_, index) => new FakePart(`t${index}`));
    const { rest } = open(parts);
    const all = rest();
    for (let line = 0; line < 10; line++) {
      for (const part of parts) {
        if (line === 0) part.change({ printed: [{ start: cursor(0) }] });
        part.print(`line ${line}\n`);
      }
      await nextTurn();
    }
    for (const part of [...parts.slice(250), ...parts.slice(0, 250)]) {
      const end = cursor(part.output.length);
      part.change({ printed: [{ start: cursor(0), end }], kept: kept(part.id, part.output) });
    }
    const events = await all;
    for (const part of parts) {
      const own = events.filter((event) => 'terminalId' in event && event.terminalId === part.id);
      expect(own.flatMap((event) => (event.type === 'output' ? event.text : [])).join('')).toBe(part.output);
      expect(own.at(-1)!.type).toBe('result');
      expect(part.reads).toBeLessThan(5);
      expect(part.followers).toBe(0);
    }
  });
});
