import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { DomainError } from '../contract/errors.js';
import type {
  FleetInitBody,
  FleetStatus,
  Grant,
  GrantBody,
  Invite,
  InviteBody,
  Joining,
  JoinRequest,
} from '../contract/fleet-machines.js';
import { Admissions } from './admissions.js';
import { Connected } from './connected.js';
import type { Entry } from './entry.js';
import { fleetFiles } from './files.js';
import { Grants } from './grants.js';
import { Hub, type HubSettings } from './hub.js';
import { type Identity, loadIdentity } from './identity.js';
import { Invites } from './invites.js';
import { Joins } from './joins.js';
import { FleetState, type KnownMachine } from './state.js';
import { statusOf } from './status.js';
import type { StreamSources } from './streams/streams-in.js';
import type { StreamsOut } from './streams/streams-out.js';
import type { FleetAnswer, FleetRequest } from './wire.js';

export interface MachinesOptions {
  /** Folder of the fleet's files, which exists once this machine is in a fleet. */
  folder: string;
  settings: () => HubSettings;
  env: NodeJS.ProcessEnv;
  /** What this machine says of itself. */
  me: () => { deviceName: string; os: 'windows' | 'macos' | 'linux'; terminals: number };
  labelsOf: (id: string) => Readonly<Record<string, string>> | undefined;
  /** Runs a request of another machine here. */
  run: (machineId: string, request: FleetRequest, signal: AbortSignal) => Promise<FleetAnswer>;
  /** The streams that other machines may open here. */
  sources: StreamSources;
  logger: Logger;
}

/** This machine as a member of a fleet over many machines. In no fleet, nothing of it runs. */
export class Machines {
  readonly #options: MachinesOptions;
  readonly #state: FleetState;
  readonly #hub: Hub;
  readonly #connected: Connected;
  readonly #invites: Invites;
  readonly #admissions: Admissions;
  readonly #grants: Grants;
  readonly #joins: Joins;
  /** Enters and leaves fleets one after the other. */
  readonly #inTurn = pLimit(1);
  #identity: Identity | undefined;

  private constructor(options: MachinesOptions, state: FleetState) {
    const { folder, settings, env, me, labelsOf, run, sources, logger } = options;
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
    const apply = () => this.#hub.reapply();
    this.#invites = new Invites({ state, apply, onFault });
    this.#grants = new Grants(state, () => this.#connected.look());
    this.#connected = new Connected({
      ...{ state, identity, me, labelsOf, run, sources, onFault, logger },
      grants: () => this.#grants.pinned,
      onJoin: (message) => this.#admissions.onJoin(message, this.#connected.link),
      onHeard: (machineId) => void this.#invites.arrived(machineId).catch(onFault),
      revive: () => this.#hub.revive(),
      onLeft: (machineId) => void this.remove(machineId).catch(onFault),
    });
    this.#admissions = new Admissions({
      ...{ identity, state, invites: this.#invites, apply, onFault },
      deviceName: () => me().deviceName,
      onAdmitted: async (machine, give) => {
        this.#connected.directory.changed(machine);
        const to = machine.machineId;
        if (give)
          await this.#grants.add({ to, can: [...give], terminals: '*', until: null }, machine.publicKey);
      },
    });
  }

  /** Reads what this machine knows of its fleet, and nothing else. Throws ConfigError if that cannot be read. */
  static async open(options: MachinesOptions): Promise<Machines> {
    return new Machines(options, await FleetState.open(fleetFiles(options.folder).state));
  }

  /** Connects to the fleet, if this machine is in one; a hub whose server has ended starts it again. */
  async start(): Promise<void> {
    const { facts } = this.#state;
    if (!facts) return;
    await this.#readIdentity();
    if (facts.role === 'hub') {
      this.#invites.start();
      await this.#hub.reapply().catch((err: Error) => {
        this.#options.logger.error({ err }, 'the hub of the fleet does not run');
      });
    }
    this.#connected.start(facts);
  }

  /** Ends the connections, and at the hub its server unless it is kept for the next service. */
  async stop({ isHubKept = false } = {}): Promise<void> {
    this.#joins.abort();
    this.#invites.stop();
    this.#admissions.clear();
    await this.#connected.stop();
    if (!isHubKept && this.#state.facts?.role === 'hub') await this.#hub.stop();
  }

  status(): FleetStatus {
    return statusOf({
      ...{ facts: this.#state.facts, machineId: this.#identity?.machineId },
      ...{ link: this.#connected.link, joining: this.#joins.shown },
    });
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

  invite(body: InviteBody): Promise<Invite> {
    this.#needHub();
    return this.#invites.create(body);
  }

  /** Begins to join a fleet; {@link status} tells what comes of it. Rejects as {@link Joins.begin} does, and with in-fleet. */
  join(code: string): Promise<Joining> {
    return this.#inTurn(async () => {
      await this.#enter();
      return this.#joins.begin(code, this.#me);
    });
  }

  requests(): JoinRequest[] {
    this.#needHub();
    return this.#admissions.list();
  }

  approve(id: string): Promise<KnownMachine> {
    this.#needHub();
    return this.#admissions.approve(id);
  }

  async deny(id: string): Promise<void> {
    this.#needHub();
    await this.#admissions.deny(id);
  }

  /** At the hub: removes a machine, which loses its connection at once. Rejects with machine-not-found, fleet-failed. */
  async remove(machineId: string): Promise<void> {
    this.#needHub();
    if (!this.#connected.peerOf(machineId)) throw new DomainError('machine-not-found');
    await this.#state.change((facts) => ({
      ...facts,
      machines: facts.machines.filter((each) => each.machineId !== machineId),
    }));
    await this.#grants.deleteOf(machineId);
    this.#connected.directory.changed({ removed: machineId });
    await this.#hub.reapply();
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

  /** Gives rights to a machine of the fleet. Rejects with no-fleet, machine-not-found, too-many-grants. */
  async grant(body: GrantBody): Promise<Grant> {
    if (!this.#state.facts) throw new DomainError('no-fleet');
    const peer = this.#connected.peerOf(body.to);
    if (!peer) throw new DomainError('machine-not-found');
    return this.#grants.add(body, peer.publicKey);
  }

  revoke(id: string): Promise<void> {
    return this.#grants.delete(id);
  }

  /** Sends a request to another machine; see {@link CallsOut.call}. */
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

  async #readIdentity(): Promise<void> {
    this.#identity ??= await loadIdentity(fleetFiles(this.#options.folder).identity);
  }

  #needHub(): void {
    const { facts } = this.#state;
    if (facts?.role !== 'hub') throw new DomainError(facts ? 'not-hub' : 'no-fleet');
  }

  /** Makes sure that this machine may enter a fleet, and has its key. */
  async #enter(): Promise<void> {
    if (this.#state.facts || this.#joins.isWaiting) throw new DomainError('in-fleet');
    await this.#readIdentity();
  }
}
