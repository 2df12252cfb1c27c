import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { DomainError } from '../contract/errors.js';
import type { FleetInitBody, FleetStatus, Grant, GrantBody, Joining } from '../contract/fleet-machines.js';
import { Connected, type ConnectedOptions } from './connected.js';
import type { Consents } from './consents.js';
import type { Entry } from './entry.js';
import { fleetFiles } from './files.js';
import type { FleetCounts } from './fleet-counts.js';
import type { FleetEvents } from './fleet-events.js';
import { Grants } from './grants.js';
import { Hub, type HubSettings } from './hub.js';
import { HubDesk } from './hub-desk.js';
import { type Identity, loadIdentity, memberIdentity } from './identity.js';
import { Joins } from './joins.js';
import { grantsOf, missingRight, type PinnedGrant } from './rights.js';
import { serverOf } from './servers.js';
import { FleetState } from './state.js';
import { statusOf } from './status.js';
import type { StreamSources } from './streams/streams-in.js';
import type { StreamsOut } from './streams/streams-out.js';
import type { FleetAnswer, FleetRequest } from './wire.js';

/** Other machines by whether they are online, and counts since the start of the service. */
export interface FleetFigures {
  online: number;
  offline: number;
  counts: Readonly<FleetCounts>;
}

export interface MachinesOptions {
  /** Folder of the fleet's files, which exists once this machine is in a fleet. */
  folder: string;
  settings: () => HubSettings;
  env: NodeJS.ProcessEnv;
  /** Returns this machine's description of itself. */
  me: () => { deviceName: string; os: 'windows' | 'macos' | 'linux'; terminals: number };
  labelsOf: (id: string) => Readonly<Record<string, string>> | undefined;
  runOf: ConnectedOptions['runOf'];
  onRefused: ConnectedOptions['onRefused'];
  /** Runs a request of another machine here. */
  run: (machineId: string, request: FleetRequest, signal: AbortSignal) => Promise<FleetAnswer>;
  /** The streams that other machines may open here. */
  sources: StreamSources;
  logger: Logger;
}

/** This machine as a member of a fleet. Outside of a fleet, nothing of this runs. */
export class Machines {
  readonly #options: MachinesOptions;
  readonly #state: FleetState;
  readonly #hub: Hub;
  readonly #connected: Connected;
  readonly #grants: Grants;
  /** At the hub: which machines are in the fleet. */
  readonly desk: HubDesk;
  readonly #joins: Joins;
  /** Enters and leaves fleets one after the other. */
  readonly #inTurn = pLimit(1);
  #identity: Identity | undefined;

  private constructor(options: MachinesOptions, state: FleetState) {
    const { folder, settings, env, me, labelsOf, runOf, run, sources, onRefused, logger } = options;
    this.#options = options;
    this.#state = state;
    const identity = () => this.#me;
    const onFault = (err: unknown) =>
      logger.warn({ err }, 'a message of another machine could not be handled');
    this.#hub = new Hub({ files: fleetFiles(folder), state, identity, settings, env, logger });
    this.#joins = new Joins({
      ...{ me, onFault },
      enter: async (facts) => {
        await state.enter(facts);
        await this.start();
      },
    });
    this.#grants = new Grants(state, () => this.#connected.look());
    this.#connected = new Connected({
      ...{ state, identity, me, labelsOf, runOf, run, sources, onRefused, onFault, logger },
      serverOf: (facts) => serverOf(facts, identity(), settings()),
      grants: () => this.#grants.pinned,
      approved: (ids) => this.#grants.approved(ids),
      onJoin: (message) => this.desk.onJoin(message),
      onHeard: (machineId) => this.desk.onHeard(machineId),
      revive: () => this.#hub.revive(),
      onLeft: (machineId) => void this.desk.remove(machineId).catch(onFault),
    });
    this.desk = new HubDesk({
      ...{ state, hub: this.#hub, grants: this.#grants, identity, onFault },
      url: () => settings().url,
      deviceName: () => me().deviceName,
      connected: () => this.#connected,
    });
  }

  /** Reads the stored state of the fleet and, in a fleet, the key of this machine. Rejects with ConfigError. */
  static async open(options: MachinesOptions): Promise<Machines> {
    const files = fleetFiles(options.folder);
    const machines = new Machines(options, await FleetState.open(files.state));
    if (machines.#state.facts) machines.#identity = await memberIdentity(files.identity);
    return machines;
  }

  /** Connects to the fleet, if this machine is in one; a hub whose server has ended starts it again. */
  async start(): Promise<void> {
    const { facts } = this.#state;
    if (!facts) return;
    if (facts.role === 'hub') {
      this.desk.start();
      await this.#hub.start().catch((err: Error) => {
        this.#options.logger.error({ err }, 'the hub of the fleet does not run');
      });
    }
    this.#grants.start();
    this.#connected.start(facts);
  }

  /** Ends the connections, and at the hub its server unless it is kept for the next service. */
  async stop({ isHubKept = false } = {}): Promise<void> {
    this.#joins.abort();
    this.#grants.stop();
    this.desk.stop();
    await this.#connected.stop();
    const { logger } = this.#options;
    // A service whose hub cannot be stopped must go on to close its terminals.
    const failed = (err: unknown) => logger.error({ err }, 'the hub of the fleet could not be stopped');
    if (!isHubKept && this.#state.facts?.role === 'hub') await this.#hub.stop().catch(failed);
  }

  status(): FleetStatus {
    return statusOf({
      ...{ facts: this.#state.facts, machineId: this.#identity?.machineId },
      ...{ link: this.#connected.link, joining: this.#joins.shown },
      ...{ isRemoved: this.#connected.directory.isRemoved, url: this.#options.settings().url },
    });
  }

  /** Requests of other machines that wait for a person's approval. */
  get consents(): Consents {
    return this.#connected.consents;
  }

  /** Events of the fleet. */
  get events(): FleetEvents {
    return this.#connected.events;
  }

  /** Returns the figures of the fleet; undefined in no fleet. */
  figures(): FleetFigures | undefined {
    if (!this.#state.facts) return undefined;
    const machines = this.list();
    const online = machines.filter((each) => each.online).length;
    return { online, offline: machines.length - online, counts: this.#connected.counts };
  }

  /** Returns the other machines of the fleet; none in no fleet. */
  list(): Entry[] {
    return this.#connected.list();
  }

  /** Makes this machine a hub. Rejects with in-fleet, no-nats-server, fleet-failed. */
  init({ address }: FleetInitBody): Promise<FleetStatus> {
    return this.#inTurn(async () => {
      await this.#enter();
      const facts = await this.#hub.begin(address);
      await this.#state.enter(facts).catch(async (error: unknown) => {
        await this.#hub.stop();
        throw error;
      });
      await this.start();
      return this.status();
    });
  }

  /** Begins to join a fleet; {@link status} has the outcome. Rejects as {@link Joins.begin} does, and with in-fleet. */
  join(code: string): Promise<Joining> {
    return this.#inTurn(async () => {
      await this.#enter();
      return this.#joins.begin(code, this.#me, this.#options.settings());
    });
  }

  /** Leaves the fleet, or gives up joining one; a hub ends its fleet. Grants and keys of others are forgotten. */
  leave(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#state.facts && !this.#joins.isWaiting) throw new DomainError('no-fleet');
      await this.#connected.sayGoodbye();
      await this.stop();
      await this.#state.leave();
    });
  }

  grants(): Grant[] {
    return this.#grants.list();
  }

  /** Returns the grants of a machine that hold at this moment. */
  grantsOf(machineId: string): PinnedGrant[] {
    const peer = this.#connected.peerOf(machineId);
    return peer ? grantsOf(this.#grants.pinned, peer, Date.now()) : [];
  }

  /** Gives rights to a machine of the fleet. Rejects with no-fleet, machine-not-found, too-many-grants. */
  async grant(body: GrantBody): Promise<Grant> {
    if (!this.#state.facts) throw new DomainError('no-fleet');
    const peer = this.#connected.peerOf(body.to);
    if (!peer) throw new DomainError('machine-not-found');
    return this.#grants.add(body, peer.publicKey);
  }

  /** Ends the requests of others that the grants no longer allow. Call when the labels of terminals have changed. */
  look(): void {
    this.#connected.look();
  }

  /** Returns whether a machine may run commands in a terminal at this moment. */
  mayRun(machineId: string, terminalId: string): boolean {
    const need = { rights: ['execute'] as const, reach: [terminalId] };
    return missingRight(this.grantsOf(machineId), need, this.#options.labelsOf) === undefined;
  }

  revoke(id: string): Promise<void> {
    return this.#grants.delete(id);
  }

  /** Sends a request to another machine; see {@link Repeats.call}. */
  async call(machineId: string, request: FleetRequest, client: AbortSignal): Promise<FleetAnswer> {
    if (!this.#state.facts) throw new DomainError('peering-not-installed');
    return this.#connected.call(machineId, request, client);
  }

  /** Streams of other machines. */
  get streams(): StreamsOut {
    return this.#connected.streams;
  }

  get #me(): Identity {
    if (!this.#identity) throw new DomainError('no-fleet');
    return this.#identity;
  }

  /** Makes sure that this machine may enter a fleet, and has its key. */
  async #enter(): Promise<void> {
    if (this.#state.facts || this.#joins.isWaiting) throw new DomainError('in-fleet');
    this.#identity ??= await loadIdentity(fleetFiles(this.#options.folder).identity);
  }
}
