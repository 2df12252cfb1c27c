import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { within } from '../../test/support/service.js';
import type { EventClientsCalls } from '../peers/event-clients.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { type Metered, meteredToRest } from '../support/cpu.js';
import { createTerminals } from '../support/create-terminals.js';
import { monotonicMs } from '../support/monotonic.js';
import { nameOf } from '../support/numbered-events.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { Peer } from '../support/peer-calls.js';
import { inRounds, medianOf } from '../support/rounds.js';
import { percentile } from '../support/stats.js';
import { Typist } from '../support/typist.js';

const CLIENTS = [1, 10, 100];
/** Terminals whose names change at the same time, each change by a request of its own. */
const TERMINALS = 16;
/** Events of a turn that causes events as fast as possible. */
const FAST = 3_200;
/** Events of a turn in which each event waits until all clients have received the event before. */
const SINGLE = 200;
/** Keys typed beside events, and the time between two events. */
const KEYS = 200;
const EVERY_MS = 10;
const WARM_UP_KEYS = 500;
const DEADLINE_MS = 120_000;

/** Measures the event stream: how many events a second, how late they come, and a key's echo beside them. */
export async function events(bench: Bench): Promise<Row[]> {
  const { cleanup, scale } = bench;
  const sides = await Sides.start(cleanup);
  const fast = Math.max(TERMINALS, Math.round((FAST * scale) / TERMINALS) * TERMINALS);
  const single = Math.max(10, Math.round(SINGLE * scale));
  // Warms up.
  await sides.fast(1, fast);
  const { none } = await inRounds(bench, { none: () => sides.fast(0, fast) }, 'no client');
  const rows: Row[] = [];
  for (const count of CLIENTS) {
    const what = `${count} ${count === 1 ? 'client' : 'clients'}`;
    const runs = await inRounds(
      bench,
      { fast: () => sides.fast(count, fast), single: () => sides.single(count, single) },
      what,
    );
    const rate = ({ seconds }: Metered<void>) => fast / seconds;
    const cpu = (run: Metered<void>) => run.cpu;
    rows.push(
      {
        ...{ name: `events to ${what}`, value: medianOf(runs.fast, rate), unit: 'events/s' },
        peer: { name: 'the same changes, no client', value: medianOf(none, rate) },
        cpu: { ours: medianOf(runs.fast, cpu), peer: medianOf(none, cpu) },
      },
      ...[50, 99].map((percent) => ({
        name: `event from its cause to ${what}: p${percent}`,
        value: medianOf(runs.single, (times) => percentile(times, percent)),
        unit: 'ms',
      })),
    );
  }
  return [...rows, ...(await echoBeside(bench, sides))];
}

/** Measures a key's echo beside events that all clients get, compared with the same changes without a client. */
async function echoBeside(bench: Bench, sides: Sides): Promise<Row[]> {
  const { cleanup, scale } = bench;
  const most = Math.max(...CLIENTS);
  const { url } = sides.service;
  const [id] = (await createTerminals(url, 1, () => ({ command: ['cat'] }))).ids;
  const keyboard = await new Typist(cleanup).at(url, id!);
  await keyboard.type(Math.round(WARM_UP_KEYS * scale));
  const keys = Math.max(10, Math.round(KEYS * scale));
  const beside = (count: number) => () => sides.steady(count, () => keyboard.type(keys));
  const { clients, none } = await inRounds(bench, { clients: beside(most), none: beside(0) }, 'echo');
  return [50, 99].map((percent) => {
    const figure = (side: number[][]) => medianOf(side, (times) => percentile(times, percent));
    return {
      name: `keystroke echo beside ${1000 / EVERY_MS} events/s to ${most} clients: p${percent}`,
      ...{
        value: figure(clients),
        unit: 'ms',
        peer: { name: 'the same changes, no client', value: figure(none) },
      },
    };
  });
}

/** The service, clients of its event stream, and terminals whose changes are events. */
class Sides {
  readonly service: OurService;
  readonly #clients: Peer<EventClientsCalls>;
  readonly #ids: readonly string[];
  readonly #pool: Pool;

  private constructor(
    service: OurService,
    ids: readonly string[],
    clients: Peer<EventClientsCalls>,
    pool: Pool,
  ) {
    this.service = service;
    this.#ids = ids;
    this.#clients = clients;
    this.#pool = pool;
  }

  static async start(cleanup: Bench['cleanup']): Promise<Sides> {
    const service = await startOurs(cleanup);
    const { ids } = await createTerminals(service.url, TERMINALS, () => ({ command: ['cat'] }));
    const pool = new Pool(service.url, { connections: TERMINALS });
    cleanup.defer(() => pool.destroy());
    return new Sides(service, ids, Peer.start<EventClientsCalls>(cleanup, 'event-clients'), pool);
  }

  /** Causes events as fast as possible. Resolves once all clients have received all of the events. */
  async fast(clients: number, events: number): Promise<Metered<void>> {
    await this.#clients.call('open', this.service.url, clients);
    const run = await meteredToRest(this.service.pids, async () => {
      const ofEach = async (terminal: number) => {
        for (let number = 0; number < events / TERMINALS; number++) await this.#change(terminal, number);
      };
      await Promise.all(this.#ids.map((_id, terminal) => ofEach(terminal)));
      await this.#got(events);
    });
    await this.#clients.call('close');
    return run;
  }

  /**
   * Causes each event once all clients have received the event before. Resolves with the milliseconds from the cause of
   * each event to its arrival at each client.
   */
  async single(clients: number, events: number): Promise<number[]> {
    await this.#clients.call('open', this.service.url, clients);
    const times: number[] = [];
    for (let number = 0; number < events; number++) {
      const begin = monotonicMs();
      const changed = this.#change(0, number);
      times.push(...(await this.#got(number + 1)).map((at) => at - begin));
      await changed;
    }
    await this.#clients.call('close');
    return times;
  }

  /** Causes events at a steady pace while the work is done, and resolves with its result. */
  async steady<T>(clients: number, work: () => Promise<T>): Promise<T> {
    await this.#clients.call('open', this.service.url, clients);
    const end = new AbortController();
    const changes = this.#changeSteadily(end.signal);
    try {
      return await work();
    } finally {
      end.abort();
      await this.#got(await changes);
      await this.#clients.call('close');
    }
  }

  /** Changes a name until the signal fires. Resolves with the number of changes. */
  async #changeSteadily(signal: AbortSignal): Promise<number> {
    let number = 0;
    for (const begin = performance.now(); !signal.aborted; number++) {
      await this.#change(0, number);
      await delay(Math.max(0, begin + (number + 1) * EVERY_MS - performance.now()));
    }
    return number;
  }

  /** Resolves with each client's time of arrival of the last of `events` events. */
  #got(events: number): Promise<number[]> {
    return within(
      DEADLINE_MS,
      this.#clients.call('got', events),
      () => `not all clients received ${events} events`,
    );
  }

  async #change(terminal: number, number: number): Promise<void> {
    const { statusCode, body } = await this.#pool.request({
      ...{ path: `/api/terminals/${this.#ids[terminal]}`, method: 'PATCH' },
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: nameOf(terminal, number) }),
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`change ${number} of terminal ${terminal}: ${statusCode}`);
  }
}
