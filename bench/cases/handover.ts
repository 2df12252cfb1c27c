import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { AutoTerminal, ClosedError } from '../../src/client/index.js';
import { resolvePaths } from '../../src/config/paths.js';
import { HostConnection } from '../../src/workers/pty-host/client/host-client.js';
import { eventually, hostPidOf } from '../../test/support/processes.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { createTerminals } from '../support/create-terminals.js';
import { type OurService, startOurs } from '../support/our-service.js';
import { medianOf } from '../support/rounds.js';

/** Terminals during the handover of the service; some of them flood. */
const TERMINALS = 40;
const CLIENTS = 5;
/** Terminals during the renewal of the pty host. */
const RENEWED = 200;
const FLOODS_OF = 8;
const FLOOD = ['sh', '-c', 'exec seq 1 1000000000'];
const QUIET = ['cat'];

/** Module of the pty host, beside this file in the folder of the compiled sources. */
const HOST = fileURLToPath(new URL('../../src/workers/pty-host/main.js', import.meta.url));

/** Milliseconds of one handover. */
interface Turn {
  /** From the signal until the next service listens. */
  away: number;
  /** From that moment until the last client has its screen again. */
  back: number;
}

/** Measures handovers of the service while clients watch, and renewals in which the pty host replaces its program. */
export async function handover(bench: Bench): Promise<Row[]> {
  const { progress, rounds, scale } = bench;
  const count = Math.max(CLIENTS, Math.round(TERMINALS * scale));
  let service = await startOurs(bench.cleanup);
  const { ids } = await createTerminals(service.url, count, (index) => ({ command: programOf(index) }));
  const client = AutoTerminal.connect({ env: { AUTO_TERMINAL_HOME: service.home } });
  bench.cleanup.defer(async () => client.close());
  const watching = ids.slice(0, CLIENTS).map((id) => new Watching(client, id));
  const turns: Turn[] = [];
  for (let round = 0; round < rounds; round++) {
    progress.round(round + 1, rounds);
    await eventually('all clients have a screen', () => watching.every(({ hasScreen }) => hasScreen));
    const { home, kill }: OurService = service;
    const from = performance.now();
    await kill('SIGUSR2');
    for (const each of watching) each.forget();
    service = await startOurs(bench.cleanup, { home });
    const ready = performance.now();
    const back = await Promise.all(watching.map((each) => each.screen()));
    turns.push({ away: ready - from, back: Math.max(...back) - ready });
  }
  const renewals = await renewedIn(bench);
  const what = `handover with ${count} terminals, ${CLIENTS} of them watched`;
  return [
    {
      name: `${what}: until the next service listens`,
      value: medianOf(turns, ({ away }) => away),
      unit: 'ms',
    },
    {
      ...{ name: `${what}: then until all have their screens`, value: medianOf(turns, ({ back }) => back) },
      unit: 'ms',
      target: { value: { max: 2_000 } },
    },
    {
      ...{
        name: `pty host renewed with ${renewals.count} terminals`,
        value: medianOf(renewals.ms, (ms) => ms),
      },
      unit: 'ms',
    },
  ];
}

/** One client that follows one terminal, across services. */
class Watching {
  hasScreen = false;
  #told: (at: number) => void = () => {};

  constructor(client: AutoTerminal, id: string) {
    this.#follow(client, id).catch((error) => {
      if (!(error instanceof ClosedError)) throw error;
    });
  }

  forget(): void {
    this.hasScreen = false;
  }

  /** Resolves with the time when the screen has come, on the clock of `performance.now`. */
  screen(): Promise<number> {
    if (this.hasScreen) return Promise.resolve(performance.now());
    return new Promise((resolve) => {
      this.#told = resolve;
    });
  }

  async #follow(client: AutoTerminal, id: string): Promise<void> {
    for await (const { isScreen } of client.watch({ terminals: [id] })) {
      if (!isScreen) continue;
      this.hasScreen = true;
      this.#told(performance.now());
    }
  }
}

function programOf(index: number): string[] {
  return index % FLOODS_OF === FLOODS_OF - 1 ? FLOOD : QUIET;
}

/**
 * Resolves with the milliseconds from each request to renew the pty host until the host serves again. No service runs
 * meanwhile, as when a starting service renews its host.
 */
async function renewedIn({
  cleanup,
  progress,
  rounds,
  scale,
}: Bench): Promise<{ count: number; ms: number[] }> {
  const count = Math.max(1, Math.round(RENEWED * scale));
  const service = await startOurs(cleanup);
  await createTerminals(service.url, count, (index) => ({ command: programOf(index) }));
  const pid = hostPidOf(service.home);
  await service.kill('SIGUSR2');
  const { hostSocket } = resolvePaths({
    env: { AUTO_TERMINAL_HOME: service.home },
    platform: process.platform,
    tmpFolder: tmpdir(),
  });
  const connect = () => HostConnection.connect(hostSocket, { role: 'service', instanceId: 'bench' });
  const ms: number[] = [];
  for (let round = 0; round < rounds; round++) {
    progress.round(round + 1, rounds, { what: 'renewal' });
    const host = await connect();
    const from = performance.now();
    await host.renew(process.execPath, [HOST]);
    const next = await connect();
    await next.list();
    ms.push(performance.now() - from);
    if (next.hostPid !== pid) throw new Error('the renewed pty host has another pid');
    if (round === rounds - 1) await next.shutdown();
    next.close();
    await next.closed;
  }
  return { count, ms };
}
