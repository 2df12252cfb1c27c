import { FLEET_CLOSED_MS, FLEET_HEARTBEAT_MS, FLEET_SILENT_MS } from '../contract/limits.js';
import { Entries, type EntriesOptions, isAnother } from './entries.js';
import { Changes, type Entry, Heartbeat, machinesKept, offline, online } from './entry.js';
import type { FleetLink } from './link.js';
import { nkeyOf } from './nkey.js';
import { Presence } from './presence.js';
import type { FleetFacts, FleetState, KnownMachine } from './state.js';
import type { Statements, Told } from './statements.js';
import * as subjects from './subjects.js';

/** Time between two looks for machines that have been silent. */
const LOOK_MS = 250;

/** Time within which the hub answers with its directory. */
const ASK_MS = 5_000;

/** Least milliseconds between two questions to the hub after changes that do not follow on the directory here. */
const ASK_AGAIN_MS = 1_000;

export interface DirectoryOptions extends EntriesOptions {
  me: () => Heartbeat & { machineId: string; publicKey: string };
  state: FleetState;
  /** Called at the hub with each machine that is heard of. */
  onHeard: (machineId: string) => void;
  /** Called with the error if the machines could not be stored. */
  onFault: (error: unknown) => void;
}

/** The machines of the fleet. All send heartbeats to the hub alone: from each to each, 1,000 would send 1,000,000 a second. */
export class Directory {
  readonly #options: DirectoryOptions;
  readonly #presence = new Presence();
  readonly #entries: Entries;
  #link: FleetLink | undefined;
  #statements: Statements | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Elsewhere: whether a message of the hub is missing. */
  #isBehind = false;
  /** Elsewhere: when the hub was last heard. */
  #hubAt = 0;
  #isRemoved = false;
  #timers: NodeJS.Timeout[] = [];

  constructor(options: DirectoryOptions) {
    this.#options = options;
    this.#entries = new Entries(options);
  }

  /** Begins with the machines that were stored before. */
  start(link: FleetLink, statements: Statements): void {
    this.#link = link;
    this.#statements = statements;
    this.#isRemoved = false;
    for (const known of this.#facts?.machines ?? []) {
      this.#entries.byId.set(known.machineId, offline(known));
      // Other machines may still count it as online, so its absence must be reported.
      if (this.#isHub) this.#presence.expect(known.machineId, performance.now());
    }
    this.#timers = [
      setInterval(() => this.#beat(), FLEET_HEARTBEAT_MS * (1 - 0.1 * Math.random())),
      setInterval(() => (this.#isHub ? this.#look() : this.#lookAtHub()), LOOK_MS),
    ];
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    this.#link = undefined;
    this.#statements = undefined;
    // A machine that leaves may hear that it was removed: in no fleet, that is over.
    this.#isRemoved = false;
    this.#entries.byId.clear();
  }

  /** Whether the hub has removed this machine from the fleet. */
  get isRemoved(): boolean {
    return this.#isRemoved;
  }

  /** Returns the other machines. */
  list(): Entry[] {
    return [...this.#entries.byId.values()];
  }

  get(machineId: string): Entry | undefined {
    return this.#entries.byId.get(machineId);
  }

  /** Greets the hub, and asks for its directory; or, once the hub is lost, counts all machines as offline. */
  async onState(isConnected: boolean): Promise<void> {
    if (!isConnected) return this.#entries.lose();
    this.#beat();
    await this.#ask();
  }

  /** Takes a heartbeat, at the hub. */
  onHeartbeat(machineId: string, data: Uint8Array): void {
    const known = this.#facts?.machines.find((each) => each.machineId === machineId);
    if (!known) return;
    const beat = Heartbeat.safeParse(this.#statements?.fromMachine(known.publicKey, 'beat', data));
    if (!beat.success) return;
    const entry = online(known, beat.data);
    const isBack = this.#presence.heard(machineId, performance.now(), beat.data.connection);
    const before = this.#entries.byId.get(machineId);
    this.#entries.set(entry);
    this.#options.onHeard(machineId);
    const isChanged = isAnother(before, entry) || before?.terminals !== entry.terminals;
    if (isBack || isChanged) this.#publish({ machines: [entry], removed: [] });
  }

  /** At the hub: this connection of the user with this key has ended. */
  onClosed(nkey: string, connection: number | undefined): void {
    const machine = this.#facts?.machines.find(({ publicKey }) => nkeyOf(publicKey) === nkey);
    if (!machine) return;
    this.#presence.closed(machine.machineId, performance.now(), connection);
    // A timer counts whole milliseconds, so it may fire before as many have passed on the exact clock.
    setTimeout(() => this.#look(), FLEET_CLOSED_MS + 1).unref();
  }

  /** At the hub: a machine was added or removed. */
  changed(machine: KnownMachine | { removed: string }): void {
    if ('removed' in machine) {
      this.#presence.forget(machine.removed);
      this.#entries.remove(machine.removed);
      this.#publish({ machines: [], removed: [machine.removed] });
      return;
    }
    const entry = offline(machine);
    this.#entries.set(entry);
    this.#publish({ machines: [entry], removed: [] });
  }

  /** At the hub: notifies all machines that they are no longer in the fleet. */
  async end(): Promise<void> {
    const removed = [...this.#entries.byId.keys()];
    const said = this.#statements?.toAll({ isWhole: true, machines: [], removed });
    if (said) await this.#link?.deliver(subjects.DIRECTORY, [said]);
  }

  /** At the hub: returns the whole directory for a machine that asks, the hub's own included; undefined: no answer. */
  whole(machineId: string, asked: Uint8Array): Uint8Array | undefined {
    const publicKey = this.#facts?.machines.find((each) => each.machineId === machineId)?.publicKey;
    const isUnheard = (id: string) => this.#presence.isUnheard(id) || undefined;
    const others = () => this.list().map((each) => ({ ...each, isUnheard: isUnheard(each.machineId) }));
    const content = () => ({ isWhole: true, machines: [this.#own(), ...others()], removed: [] });
    return this.#statements?.reply({ machineId, publicKey }, asked, content);
  }

  /** Elsewhere: takes a message of the hub to all machines. */
  async onChanges(data: Uint8Array): Promise<void> {
    const told = this.#isHub ? undefined : this.#statements?.fromHub(data);
    if (!told) return;
    await this.#onTold(told);
    if (told.content === undefined || told.isGap) this.#isBehind = true;
    if (this.#isBehind && performance.now() - this.#askedAt >= ASK_AGAIN_MS) await this.#ask();
  }

  async #onTold({ content, isStranger = false }: Told): Promise<void> {
    const parsed = Changes.safeParse(content);
    const me = this.#options.me().machineId;
    if (isStranger || (parsed.success && parsed.data.removed.includes(me))) {
      this.#isRemoved = true;
      return this.#entries.lose();
    }
    if (!parsed.success || this.#isRemoved) return;
    this.#hubAt = performance.now();
    const hubId = this.#facts?.hub.machineId ?? '';
    const hubBefore = this.#entries.byId.get(hubId);
    const { left, isChanged } = this.#entries.take(parsed.data, me);
    // A hub's reports before a new start of its service or connection may be lost, such as a removal.
    if (!parsed.data.isWhole && isAnother(hubBefore, this.#entries.byId.get(hubId))) this.#isBehind = true;
    if (parsed.data.isWhole || isChanged) await this.#keep(left, parsed.data.isWhole);
  }

  get #facts(): FleetFacts | undefined {
    return this.#options.state.facts;
  }

  get #isHub(): boolean {
    return this.#facts?.role === 'hub';
  }

  /** Asks the hub for its directory. If no right reply comes, the hub's next message causes another question. */
  async #ask(): Promise<void> {
    const facts = this.#facts;
    if (!facts || this.#isHub || !this.#statements || !this.#link) return;
    this.#askedAt = performance.now();
    const me = this.#options.me().machineId;
    const subject = subjects.request(facts.hub.machineId, me, 'directory');
    const inbox = subjects.secretInbox(me);
    const replied = await this.#link.request(subject, this.#statements.ask(), ASK_MS, inbox);
    const told = replied.kind === 'reply' ? this.#statements?.answered(replied.data) : undefined;
    if (!told) return;
    if (told.content !== undefined) this.#isBehind = false;
    await this.#onTold(told);
    // A heartbeat names the hub's present start, which this answer may have been the first to give.
    this.#beat();
  }

  #own(): Entry {
    return { ...this.#options.me(), online: true, lastSeenAt: Date.now() };
  }

  #beat(): void {
    const { machineId, publicKey: _key, ...beat } = this.#options.me();
    if (this.#link?.state !== 'connected') return;
    if (this.#isHub) this.#publish({ machines: [this.#own()], removed: [] });
    const said = this.#isHub ? undefined : this.#statements?.toHub('beat', beat);
    if (said) this.#link.publish(subjects.heartbeat(machineId), [said]);
  }

  /** Elsewhere: counts a silent hub as offline. The other machines keep the state that the hub last reported. */
  #lookAtHub(): void {
    const entry = this.#entries.byId.get(this.#facts?.hub.machineId ?? '');
    if (entry?.online && performance.now() - this.#hubAt >= FLEET_SILENT_MS)
      this.#entries.set({ ...entry, online: false });
  }

  #look(): void {
    for (const machineId of this.#presence.gone(performance.now())) {
      const entry = this.#entries.byId.get(machineId);
      if (!entry) continue;
      this.#entries.set({ ...entry, online: false });
      this.#publish({ machines: [{ ...entry, online: false }], removed: [] });
      this.#keep().catch(this.#options.onFault);
    }
  }

  #publish(changes: { machines: Entry[]; removed: string[] }): void {
    const said = this.#isHub && this.#statements?.toAll({ isWhole: false, ...changes });
    if (said) this.#link?.publish(subjects.DIRECTORY, [said]);
  }

  /**
   * Stores when machines were last seen; elsewhere than at the hub, also the list of machines. Deletes the grants of
   * machines that have left: a machine that joins again must not find them.
   *
   * @param isWhole - whether the directory names all machines, so that any other has left
   */
  #keep(left: readonly string[] = [], isWhole = false): Promise<void> {
    // As of now: by the time of the change, the directory may have been stopped, and be empty.
    const entries = new Map(this.#entries.byId);
    const isOut = ({ to }: { to: string }) => left.includes(to) || (isWhole && !entries.has(to));
    return this.#options.state.change((facts) => ({
      ...facts,
      machines: machinesKept(facts, entries),
      grants: facts.grants.filter((grant) => !isOut(grant)),
    }));
  }
}
