import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { VERSION } from '../contract/version.js';
import type { FleetServer } from '../workers/fleet-link/protocol.js';
import { FreeMemory } from '../workers/free-memory.js';
import { CallsIn, type CallsInOptions } from './calls-in.js';
import { CallsOut } from './calls-out.js';
import { Consents } from './consents.js';
import { Directory } from './directory.js';
import { type Entry, type Heartbeat, PROTOCOLS } from './entry.js';
import { FleetCounts } from './fleet-counts.js';
import { FleetEvents } from './fleet-events.js';
import { HubRequests } from './hub-requests.js';
import { HubRevival } from './hub-revival.js';
import type { Identity } from './identity.js';
import { FleetLink, type FleetMessage } from './link.js';
import { Repeats } from './repeats.js';
import type { Peer, PinnedGrant } from './rights.js';
import { type FleetFacts, type FleetState, type KnownMachine, ownServerOf } from './state.js';
import { PlainStatements, SignedStatements, type Statements } from './statements.js';
import { STREAM_METHOD } from './streams/stream-wire.js';
import { type StreamSources, StreamsIn } from './streams/streams-in.js';
import { StreamsOut } from './streams/streams-out.js';
import type { FleetAnswer, FleetRequest } from './wire.js';

export interface ConnectedOptions {
  state: FleetState;
  identity: () => Identity;
  /** How this machine reaches the server of its fleet. */
  serverOf: (facts: FleetFacts) => FleetServer;
  /** Returns this machine's description of itself. */
  me: () => { deviceName: string; os: 'windows' | 'macos' | 'linux'; terminals: number };
  grants: () => readonly PinnedGrant[];
  /** Notes that the first use of grants was approved. */
  approved: (ids: readonly string[]) => Promise<void>;
  labelsOf: (id: string) => Readonly<Record<string, string>> | undefined;
  runOf: CallsInOptions['runOf'];
  /** Runs a request of another machine here. */
  run: (machineId: string, request: FleetRequest, signal: AbortSignal) => Promise<FleetAnswer>;
  /** The streams that other machines may open here. */
  sources: StreamSources;
  /** Called with each request that another machine was not allowed to send. */
  onRefused: CallsInOptions['onRefused'];
  /** At the hub: a guest's message, a machine that is heard of, and a server that may have ended. */
  onJoin: (message: FleetMessage) => void;
  onHeard: (machineId: string) => void;
  revive: () => Promise<void>;
  /** At the hub: a machine leaves. */
  onLeft: (machineId: string) => void;
  onFault: (error: unknown) => void;
  logger: Logger;
}

/** Everything that runs while this machine is in a fleet: the link to the hub, the directory, and requests both ways. */
export class Connected {
  /** Names this start of the service to other machines. */
  readonly #epoch = randomBytes(12).toString('base64url');
  readonly #options: ConnectedOptions;
  readonly #out: CallsOut;
  readonly #in: CallsIn;
  readonly #streamsIn: StreamsIn;
  readonly #memory = new FreeMemory();
  /** Streams of other machines. */
  readonly streams: StreamsOut;
  readonly #repeats: Repeats;
  readonly directory: Directory;
  readonly events = new FleetEvents();
  readonly counts = new FleetCounts();
  readonly consents: Consents;
  readonly #hubRequests: HubRequests;
  #link: FleetLink | undefined;
  #statements: Statements | undefined;
  readonly #revival: HubRevival;
  /** Number of times that the link was established. */
  #links = 0;

  constructor(options: ConnectedOptions) {
    this.#options = options;
    const { state, identity, grants, labelsOf, runOf, run, sources } = options;
    const { onHeard, onRefused, approved, onFault, revive } = options;
    this.#revival = new HubRevival({ isHub: () => state.facts?.role === 'hub', revive, onFault });
    const peerOf = (machineId: string) => this.peerOf(machineId);
    const memory = this.#memory;
    this.directory = new Directory({
      ...{ state, onHeard, onFault, events: this.events },
      me: () => this.#beat(),
      onLost: (machineId) => this.#out.lost(machineId),
      onRemoved: () => this.look(),
    });
    const { directory, events, counts } = this;
    const { onLeft } = options;
    this.#hubRequests = new HubRequests({ state, identity, directory, epoch: this.#epoch, onLeft });
    this.#out = new CallsOut({ identity, directory, counts });
    this.#repeats = new Repeats({ out: this.#out, directory, events, counts, epoch: this.#epoch });
    this.consents = new Consents({
      ...{ events, labelsOf, approved },
      deviceNameOf: (machineId) => directory.get(machineId)?.deviceName ?? machineId,
    });
    this.#in = new CallsIn({
      ...{ identity, epoch: this.#epoch, grants, labelsOf, runOf, peerOf },
      ...{ onRefused, counts, onFault, consents: this.consents },
      run: async (machineId, request, signal) =>
        request.method === STREAM_METHOD
          ? this.#streamsIn.open(machineId, request)
          : run(machineId, request, signal),
    });
    this.#streamsIn = new StreamsIn({ identity, memory, peerOf, grants, labelsOf, sources });
    this.streams = new StreamsOut({
      ...{ identity, memory, directory },
      call: (machineId, request, client) => this.#out.call(machineId, request, client),
    });
  }

  /** Begins to connect. */
  start(facts: FleetFacts): void {
    const { identity, logger, onFault, serverOf } = this.#options;
    const link = new FleetLink({
      identity: identity(),
      ...{ server: serverOf(facts), isHub: facts.role === 'hub', logger },
      onState: (state) => {
        this.#onState(state === 'connected').catch(onFault);
      },
      onMessage: (message) => this.#onMessage(message),
      onClosed: (...closed) => this.directory.onClosed(...closed),
    });
    this.#link = link;
    this.#out.link = link;
    this.#in.link = link;
    this.#streamsIn.link = link;
    this.streams.link = link;
    this.#statements = this.#statementsOf(facts);
    this.directory.start(link, this.#statements);
    // The server may have ended since the hub's start, before the link has ever reached it.
    this.#revival.begin();
  }

  /** Ends the connections; requests in work end. */
  async stop(): Promise<void> {
    this.#revival.end();
    this.#in.endAll();
    this.#out.lost();
    this.#streamsIn.closeAll();
    this.streams.loseAll();
    this.directory.stop();
    await this.#link?.stop();
    this.#link = undefined;
    this.#out.link = undefined;
    this.#in.link = undefined;
    this.#streamsIn.link = undefined;
    this.streams.link = undefined;
  }

  get link(): FleetLink | undefined {
    return this.#link;
  }

  list(): Entry[] {
    return this.directory.list();
  }

  /** Sends a request to another machine; see {@link Repeats.call}. */
  call(machineId: string, request: FleetRequest, client: AbortSignal): Promise<FleetAnswer> {
    return this.#repeats.call(machineId, request, client);
  }

  /** Ends the requests of others that the grants no longer allow. */
  look(): void {
    this.#in.look();
    this.#streamsIn.look();
  }

  /** Notifies the others that this machine leaves; see {@link HubRequests.sayGoodbye}. */
  sayGoodbye(): Promise<void> {
    return this.#hubRequests.sayGoodbye(this.#link, this.#statements);
  }

  /**
   * Returns a machine of the fleet; undefined if this machine does not know it. The hub looks it up in its own list, the
   * other machines in the list that the hub has sent them. Until they begin to connect, that is the stored list: the runs
   * of an earlier service are resumed before, and the rights of their machines count then.
   */
  peerOf(machineId: string): Peer | undefined {
    const { facts } = this.#options.state;
    // On a server of others, the machines that it knows would still reach it after its removal.
    if (this.directory.isRemoved) return undefined;
    const known: Pick<KnownMachine, 'machineId' | 'publicKey'> | undefined =
      facts?.role === 'hub' || !this.#link
        ? facts?.machines.find((each) => each.machineId === machineId)
        : this.directory.get(machineId);
    return known && { machineId, publicKey: known.publicKey };
  }

  #beat(): Heartbeat & Peer {
    const { machineId, publicKey } = this.#options.identity();
    return {
      ...this.#options.me(),
      machineId,
      publicKey,
      epoch: this.#epoch,
      link: this.#links,
      connection: this.#link?.connection,
      version: VERSION,
      protocols: { ...PROTOCOLS },
    };
  }

  async #onState(isConnected: boolean): Promise<void> {
    if (isConnected) {
      this.#revival.end();
      if (this.#links++ > 0) this.counts.reconnects++;
      this.#streamsIn.resume();
      this.streams.resume();
    } else {
      // Answers may have been sent while nobody listened.
      this.#out.lost();
      this.#revival.begin();
    }
    await this.directory.onState(isConnected);
  }

  #onMessage(message: FleetMessage): void {
    const { kind, from, what, data } = message;
    const { onFault, onJoin } = this.#options;
    if (message.streamId !== undefined) {
      this.#streamsIn.onPacket(from, message.streamId, data);
      this.streams.onPacket(from, message.streamId, data);
      this.#memory.freeAll(data);
    } else if (kind === 's') this.#out.onAnswer(from, what, data);
    else if (kind === 'hb') this.directory.onHeartbeat(from, data);
    else if (kind === 'join') onJoin(message);
    else if (kind === 'dir') this.directory.onChanges(data).catch(onFault);
    else if (what === 'call') this.#in.onCall(message);
    else if (what === 'cancel') this.#in.onCancel(message);
    else if (this.#link && this.#statements)
      this.#hubRequests.onRequest(message, this.#link, this.#statements).catch(onFault);
  }

  #statementsOf({ fleetId, hub }: FleetFacts): Statements {
    if (ownServerOf({ hub })) return new PlainStatements();
    const hubKey = hub.publicKey;
    return new SignedStatements({ fleetId, identity: this.#options.identity(), hubKey, epoch: this.#epoch });
  }
}
