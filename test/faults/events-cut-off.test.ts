import { afterEach, describe, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { StreamedEvent } from '../support/event-client.js';
import type { Api } from '../support/http.js';
import { Random } from '../support/random.js';
import { RestartedService } from '../support/restarted-service.js';
import { ResumingClient } from '../support/resuming-client.js';

/** Minimum number of events; a long run sets more. */
const EVENTS = Number(process.env.AUTO_TERMINAL_EVENTS ?? 1_200);
const KILLS = Math.max(3, Math.round(EVENTS / 4_000));
/** Average number of times that a client is cut off. */
const CUTS = 100;
/** Number of terminals above which most changes close a terminal. */
const TERMINALS = 15;

const seed = Number(process.env.AUTO_TERMINAL_SEED ?? Date.now() % 2 ** 32);

let service: RestartedService;
afterEach(() => service.stop());

type Facts = Pick<Terminal, 'name' | 'labels' | 'status'>;

/** The terminals according to the events. */
function toldOf(events: readonly StreamedEvent[]): Map<string, Facts> {
  const told = new Map<string, Facts>();
  for (const { type, data } of events) {
    const id = data.terminalId ?? '';
    const known = told.get(id);
    if (type === 'terminal.created' || type === 'terminal.updated')
      told.set(id, factsOf(data.data as unknown as Terminal));
    if (type === 'terminal.exited' && known) told.set(id, { ...known, status: 'exited' });
    if (type === 'terminal.removed') told.delete(id);
  }
  return told;
}

function factsOf({ name, labels, status }: Terminal): Facts {
  return { name, labels, status };
}

/** Programs that run on, that end at once, and that end some time later, perhaps while no service runs. */
const PROGRAMS = [['cat'], ['true'], ['sh', '-c', 'sleep 0.3; exit 3'], ['sh', '-c', 'sleep 1.2']];

/** Makes a random change that causes an event. */
async function change(api: Api, random: Random, step: number): Promise<void> {
  const { body } = await api.get<{ terminals: Terminal[] }>('/api/terminals?status=all');
  const { terminals } = body;
  const one = random.of(terminals);
  const dice = random.below(20);
  if (!one || dice === 0) {
    const command = random.of(PROGRAMS);
    await api.post('/api/terminals', { name: `made at ${step}`, command, labels: { dice: String(dice) } });
  } else if (dice === 1 || terminals.length > TERMINALS) {
    await api.delete(`/api/terminals/${one.id}`);
  } else if (dice === 2) {
    await api.post(`/api/terminals/${one.id}/input`, { data: random.of(['x', '\u0004']) });
  } else if (dice < 6) {
    await api.post(`/api/terminals/${one.id}/size`, { cols: 40 + random.below(100), rows: 24 });
  } else {
    const labels = { role: String(random.below(5)), dice: null };
    await api.patch(`/api/terminals/${one.id}`, { name: `changed at ${step}`, labels });
  }
}

describe(`${EVENTS} events, with clients that are cut off and a service that is killed (seed ${seed})`, () => {
  it('reach each client once and in order, and say what is', {
    timeout: 300_000 + EVENTS * 100,
  }, async () => {
    service = await RestartedService.start();
    const random = new Random(seed);
    const cutAfter = () => 1 + random.below(Math.ceil((2 * EVENTS) / CUTS));
    const clients = {
      cut: new ResumingClient({ service, cutAfter }),
      steady: new ResumingClient({ service }),
      filtered: new ResumingClient({ service, cutAfter, query: 'types=terminal.exited,terminal.removed' }),
    };
    const { cut, steady, filtered } = clients;
    // From here on no client begins anew.
    await service.once((api) => change(api, random, 0));
    await Promise.all([cut, steady].map((client) => client.until(() => client.events.length > 0)));
    await filtered.until(() => true);
    let kills = 0;
    for (let step = 1; steady.events.length < EVENTS || kills < KILLS; step++) {
      // A request whose service is killed may or may not have been carried out.
      await service.once((api) => change(api, random, step)).catch(() => undefined);
      if (kills < KILLS && steady.events.length >= ((kills + 1) * EVENTS) / (KILLS + 1)) {
        kills++;
        // The next change runs into the kill.
        const restarted = service.restart();
        if (random.below(2) === 0) await restarted;
      }
    }
    const last = await service.once((api) => api.post<Terminal>('/api/terminals', { command: ['cat'] }));
    const { body: ended } = await service.once((api) =>
      api.post<Terminal>('/api/terminals', { command: ['true'] }),
    );
    for (const client of [cut, steady])
      await client.until(() => client.events.some(({ data }) => data.terminalId === last.body.id));
    for (const client of [cut, steady, filtered])
      await client.until(() =>
        client.events.some(({ type, data }) => type === 'terminal.exited' && data.terminalId === ended.id),
      );
    await untilProgramsHaveEnded();
    const { body: listed } = await service.once((api) =>
      api.get<{ terminals: Terminal[] }>('/api/terminals?status=all'),
    );
    const truth = new Map(listed.terminals.map((terminal) => [terminal.id, factsOf(terminal)]));
    for (const client of [cut, steady]) {
      await client.until(() => sameAs(toldOf(client.events), truth));
      const first = numberOf(client.events[0]!);
      expect(client.events.map(numberOf)).toEqual(client.events.map((_, index) => first + index));
    }
    for (const client of Object.values(clients)) await client.stop();
    expect(Object.values(clients).map(({ resyncs }) => resyncs)).toEqual([0, 0, 0]);
    expect(cut.cuts).toBeGreaterThan(CUTS / 4);
    const byId = new Map(steady.events.map((event) => [event.id, event]));
    for (const event of [...cut.events, ...filtered.events])
      if (byId.has(event.id)) expect(event).toEqual(byId.get(event.id));
    const wanted = steady.events.filter(({ type }) => /exited|removed/.test(type)).map(({ id }) => id);
    const got = filtered.events.map(({ id }) => id);
    expect(got.slice(got.indexOf(wanted[0] ?? ''))).toEqual(wanted);
  });
});

function numberOf({ id }: StreamedEvent): number {
  return Number(id.split('-')[1]);
}

function sameAs(told: Map<string, Facts>, truth: Map<string, Facts>): boolean {
  const sorted = (facts: Map<string, Facts>) =>
    JSON.stringify(
      [...facts]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([id, { name, labels, status }]) => [id, name, Object.entries(labels).sort(), status]),
    );
  return sorted(told) === sorted(truth);
}

/** Resolves once no terminal runs a program that ends by itself. */
async function untilProgramsHaveEnded(): Promise<void> {
  const { body } = await service.once((api) => api.get<{ terminals: Terminal[] }>('/api/terminals'));
  for (const { id } of body.terminals)
    await service.once((api) => api.post(`/api/terminals/${id}/wait`, { until: 'exit', timeoutMs: 1_500 }));
}
