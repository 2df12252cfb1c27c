import { afterAll, beforeAll } from 'vitest';
import { type FleetMachine, grant, makeHub, pair, startMachine } from './fleet.js';
import { FleetRelay } from './fleet-relay.js';

/** A hub, a laptop whose terminals the hub may watch and type into, and the wire between them, which tests cut. */
export interface FleetOfTwo {
  readonly hub: FleetMachine;
  readonly laptop: FleetMachine;
  readonly relay: FleetRelay;
  /** URL at which the hub's clients reach the laptop. */
  readonly there: string;
  /** Creates a terminal on the laptop. */
  terminal(command: string[]): Promise<string>;
  /** Kills the laptop's service and starts it again. */
  restartLaptop(): Promise<void>;
}

/** Starts both machines before the tests of the calling file, and stops them afterwards. */
export function useFleetOfTwo(): FleetOfTwo {
  let machines: { hub: FleetMachine; laptop: FleetMachine; relay?: FleetRelay } | undefined;
  const started = () => {
    if (!machines?.relay) throw new Error('the machines start before the first test');
    return { ...machines, relay: machines.relay };
  };
  beforeAll(async () => {
    const [hub, laptop] = await Promise.all([startMachine(), startMachine()]);
    machines = { hub, laptop };
    await makeHub(hub);
    await pair(hub, laptop);
    const [relay, connected] = await FleetRelay.between(hub, laptop);
    machines = { hub, laptop: connected, relay };
    await grant(connected, hub, { can: ['observe', 'type'] });
  });
  afterAll(async () => {
    const { hub, laptop, relay } = machines ?? {};
    await Promise.all([hub, laptop].map((each) => each?.service.stop()));
    relay?.close();
  });
  return {
    get hub() {
      return started().hub;
    },
    get laptop() {
      return started().laptop;
    },
    get relay() {
      return started().relay;
    },
    get there() {
      const { hub, laptop } = started();
      return `${hub.service.url}/api/machines/${laptop.id}`;
    },
    async terminal(command) {
      return (await started().laptop.api.post<{ id: string }>('/api/terminals', { command })).body.id;
    },
    async restartLaptop() {
      const { laptop, ...others } = started();
      const { home } = laptop.service;
      await laptop.service.kill('SIGKILL');
      machines = { ...others, laptop: { ...(await startMachine(home)), id: laptop.id } };
    },
  };
}
