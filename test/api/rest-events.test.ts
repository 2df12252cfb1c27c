import { describe, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { EventStream } from '../support/event-client.js';
import { useService } from '../support/use-service.js';

const used = useService();

async function create(body: object = {}): Promise<string> {
  const made = await used.api.post<Terminal>('/api/terminals', { command: ['cat'], ...body });
  expect(made.status).toBe(200);
  return made.body.id;
}

const open = (query = '', lastEventId?: string) => EventStream.open(used.service.url, { query, lastEventId });

/** Number of an event in its id. */
const numberOf = (id: string) => Number(id.split('-')[1]);

describe('GET /api/events', () => {
  it('begins with the position from which it goes on, and is no page for caches', async () => {
    const stream = await open();
    await stream.until(() => stream.events.length > 0);
    const [ready] = stream.events;
    expect(ready).toMatchObject({ type: 'ready', data: { last: numberOf(ready!.id) } });
    expect(ready!.id).toBe(`${ready!.data.epoch}-${ready!.data.last}`);
    const { body } = await used.api.get<{ instanceId: string }>('/health');
    expect(ready!.data.instanceId).toBe(body.instanceId);
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    expect(stream.response.headers['content-encoding']).toBeUndefined();
    await stream.cut();
  });

  it('sends the life of a terminal, with ids that count up by one', async () => {
    const stream = await open();
    const id = await create({ name: 'first', labels: { role: 'test' } });
    await used.api.patch(`/api/terminals/${id}`, { name: 'second' });
    // The same name again is no change.
    await used.api.patch(`/api/terminals/${id}`, { name: 'second' });
    await used.api.post(`/api/terminals/${id}/size`, { cols: 90, rows: 30 });
    await used.api.post(`/api/terminals/${id}/input`, { data: 'one\r' });
    await used.api.post(`/api/terminals/${id}/input`, { data: 'two\r' });
    await used.api.post(`/api/terminals/${id}/input`, { data: '\u0004' });
    await stream.first('terminal.exited', id);
    await used.api.delete(`/api/terminals/${id}`);
    await stream.first('terminal.removed', id);
    const events = stream.events.filter(({ data }) => data.terminalId === id);
    expect(events.map(({ type, data }) => [type, data.data])).toEqual([
      ['terminal.created', expect.objectContaining({ id, name: 'first', labels: { role: 'test' } })],
      ['terminal.updated', expect.objectContaining({ id, name: 'second' })],
      ['terminal.resized', { cols: 90, rows: 30 }],
      ['input.changed', { source: 'api' }],
      ['terminal.exited', { exitCode: 0, signal: null, exitedAt: expect.any(Number) }],
      ['terminal.removed', {}],
    ]);
    for (const { type, data } of events) {
      expect(data.type).toBe(type);
      expect(new Date(data.timestamp).toISOString()).toBe(data.timestamp);
    }
    const ids = stream.events.map((event) => numberOf(event.id));
    expect(ids).toEqual(ids.map((_, index) => ids[0]! + index));
    await stream.cut();
  });

  it('sends commands as their shell reports them', async () => {
    const stream = await open('types=command.*');
    const made = await used.api.post<Terminal>('/api/terminals', { command: ['bash'] });
    const { id } = made.body;
    await used.api.post(`/api/terminals/${id}/execute`, { prompt: 'sh -c "exit 7"', cliType: 'default' });
    const ended = await stream.first('command.finished', id);
    expect(ended.data.data).toMatchObject({ commandLine: 'sh -c "exit 7"', exitCode: 7 });
    expect(stream.types).toEqual(['command.started', 'command.finished']);
    await used.api.delete(`/api/terminals/${id}`);
    await stream.cut();
  });

  it('resumes after an id: by the header, which wins, and by the query', async () => {
    const stream = await open();
    const first = await create();
    const second = await create();
    const { id: begin } = stream.events[0]!;
    const { id: between } = await stream.first('terminal.created', first);
    await stream.first('terminal.created', second);
    await stream.cut();
    const created = async (resumed: EventStream) => {
      await resumed.first('terminal.created', second);
      const ids = resumed.of('terminal.created').map(({ data }) => data.terminalId);
      const { id } = resumed.events[0]!;
      await resumed.cut();
      return { id, ids };
    };
    expect(await created(await open(`since=${begin}`))).toEqual({ id: begin, ids: [first, second] });
    expect(await created(await open('', between))).toEqual({ id: between, ids: [second] });
    expect(await created(await open(`since=${begin}`, between))).toEqual({ id: between, ids: [second] });
    // Live events follow.
    const resumed = await open('', between);
    const third = await create();
    await resumed.first('terminal.created', third);
    expect(resumed.of('terminal.created').map(({ data }) => data.terminalId)).toEqual([second, third]);
    await resumed.cut();
  });

  it.each([
    ['another epoch', () => 'zzzzzzzz-3'],
    ['an event that is yet to come', (id: string) => `${id}999`],
  ])('answers %s with one resync, and then with live events', async (_name, sinceOf) => {
    const probe = await open();
    await probe.until(() => probe.events.length > 0);
    const { id: now } = probe.events[0]!;
    await probe.cut();
    const stream = await open(`since=${sinceOf(now)}`);
    const id = await create();
    await stream.first('terminal.created', id);
    const [ready, resync] = stream.events;
    expect([ready?.type, resync?.type, resync?.data.reason]).toEqual(['ready', 'resync', expect.any(String)]);
    expect([ready?.id, resync?.id]).toEqual(Array(2).fill(`${ready?.data.epoch}-${ready?.data.last}`));
    expect(stream.of('resync')).toHaveLength(1);
    await stream.cut();
  });

  it('filters by types, terminals and labels, as they are at the time of the event', async () => {
    const before = await open();
    const [one, other] = [await create({ labels: { role: 'a' } }), await create({ labels: { role: 'b' } })];
    await before.first('terminal.created', other);
    await before.cut();
    const byTypes = await open('types=terminal.r*,terminal.updated');
    const byId = await open(`terminals=${other}`);
    const byLabel = await open('selector=role=a');
    for (const id of [one, other]) await used.api.patch(`/api/terminals/${id}`, { labels: { role: 'b' } });
    await used.api.patch(`/api/terminals/${other}`, { labels: { role: 'a' } });
    await used.api.post(`/api/terminals/${one}/size`, { cols: 50, rows: 20 });
    for (const id of [one, other]) await used.api.delete(`/api/terminals/${id}`);
    await byTypes.first('terminal.removed', other);
    await byId.first('terminal.removed', other);
    await byLabel.first('terminal.removed', other);
    const seen = (stream: EventStream) =>
      stream.events.slice(1).map(({ type, data }) => [type, data.terminalId === one ? 'one' : 'other']);
    expect(seen(byTypes)).toEqual([
      ['terminal.updated', 'one'],
      ['terminal.updated', 'other'],
      ['terminal.resized', 'one'],
      ['terminal.removed', 'one'],
      ['terminal.removed', 'other'],
    ]);
    expect(seen(byId)).toEqual([
      ['terminal.updated', 'other'],
      ['terminal.removed', 'other'],
    ]);
    expect(seen(byLabel)).toEqual([
      ['terminal.updated', 'other'],
      ['terminal.removed', 'other'],
    ]);
    for (const stream of [byTypes, byId, byLabel]) await stream.cut();
  });

  it.each([
    ['since=nothing', {}, 'since'],
    ['since=abcdefgh-01', {}, 'since'],
    ['', { 'last-event-id': 'abcdefgh' }, 'last-event-id'],
    ['types=terminal.creatd', {}, 'types'],
    ['types=agent.status,nothing.*', {}, 'types'],
    ['types=', {}, 'types'],
    ['terminals=', {}, 'terminals'],
    ['selector=role', {}, 'selector'],
  ])('refuses ?%s %j', async (query, headers, named) => {
    const answer = await used.api.raw({ path: `/api/events?${query}`, headers });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      400,
      { error: expect.stringContaining(named), code: 'invalid-request' },
    ]);
  });

  it('reports that a terminal prints to those who ask for it, without an id', async () => {
    const query = 'types=terminal.activity';
    const [named, all] = [await open(query), await open()];
    await named.until(() => named.events.length > 0);
    const { id: position } = named.events[0]!;
    const [id, quiet] = [await create(), await create()];
    await used.api.post(`/api/terminals/${id}/input`, { data: 'one\r' });
    const active = await named.first('terminal.activity', id);
    expect([active.id, active.data.data]).toEqual([position, { bytes: expect.any(Number) }]);
    const bytes = () =>
      named.of('terminal.activity').map(({ data }) => (data.terminalId === id ? data.data.bytes : 0));
    // The bytes are the echo and the output of cat.
    await named.until(
      () => bytes().reduce((sum: number, more) => sum + Number(more), 0) === 2 * 'one\r\n'.length,
    );
    await used.api.post(`/api/terminals/${quiet}/input`, { data: 'two\r' });
    await named.first('terminal.activity', quiet);
    expect(new Set(named.types)).toEqual(new Set(['terminal.activity']));
    await used.api.delete(`/api/terminals/${quiet}`);
    await all.first('terminal.removed', quiet);
    expect(all.types).not.toContain('terminal.activity');
    for (const stream of [named, all]) await stream.cut();
  });

  it('answers HEAD without a stream', async () => {
    const answer = await used.api.raw({ method: 'HEAD', path: '/api/events' });
    expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([
      200,
      'text/event-stream',
      '',
    ]);
  });
});
