import { FLEET_HEARTBEAT_MS } from '../contract/limits.js';
import { Changes, type Entry, Heartbeat, PROTOCOLS } from './entry.js';
import type { FleetEvents } from './fleet-events.js';
import { machineIdOf } from './identity.js';
import type { FleetLink } from './link.js';
import { nkeyOf } from './nkey.js';
import { Presence } from './presence.js';
import type { FleetFacts, FleetState, KnownMachine } from './state.js';
import * as subjects from './subjects.js';

/** Looks for machines that have gone come this often, which is what a closed connection may take longer. */
const LOOK_MS = 250;

/** Time within which the hub answers with its directory. */
const ASK_MS = 5_000;

export interface DirectoryOptions {
  me: () => Heartbeat & { machineId: string; publicKey: string };
  state: FleetState;
  events: FleetEvents;
  /** Called when a machine has gone offline, begun anew or been removed: what was asked of it gets no answer. */
  onLost: (machineId: string) => void;
  /** Called at the hub with each machine that is heard of. */
  onHeard: (machineId: string) => void;
}

/**
 * The machines of the fleet. Every machine sends its heartbeats to the hub alone, which tells the others what has
 * changed: all to all would be a million messages a second in a fleet of a thousand.
 */
export class Directory {
  readonly #options: DirectoryOptions;
  readonly #presence = new Presence();
  readonly #entries = new Map<string, Entry>();
  #link: FleetLink | undefined;
  #timers: NodeJS.Timeout[] = [];

  constructor(options: DirectoryOptions) {
    this.#options = options;
  }

  /** Begins with what is known from before. */
  start(link: FleetLink): void {
    this.#link = link;
    for (const known of this.#facts?.machines ?? []) this.#entries.set(known.machineId, offline(known));
    this.#timers = [
      setInterval(() => this.#beat(), FLEET_HEARTBEAT_MS * (1 - 0.1 * Math.random())),
      ...(this.#isHub ? [setInterval(() => this.#look(), LOOK_MS)] : []),
    ];
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    this.#link = undefined;
    this.#entries.clear();
  }

  /** Returns the other machines. */
  list(): Entry[] {
    return [...this.#entries.values()];
  }

  get(machineId: string): Entry | undefined {
    return this.#entries.get(machineId);
  }

  /** Greets the hub, and asks for its directory; or, once the hub is lost, counts all machines as offline. */
  async onState(isConnected: boolean): Promise<void> {
    if (!isConnected) {
      for (const entry of this.list()) if (entry.online) this.#set({ ...entry, online: false });
      return;
    }
    this.#beat();
    const facts = this.#facts;
    if (!facts || this.#isHub) return;
    const subject = subjects.request(facts.hub.machineId, this.#options.me().machineId, 'directory');
    const replied = await this.#link?.request(subject, new Uint8Array(), ASK_MS);
    if (replied?.kind === 'reply') await this.onChanges(replied.data);
  }

  /** At the hub: a heartbeat. */
  onHeartbeat(machineId: string, data: Uint8Array): void {
    const known = this.#facts?.machines.find((each) => each.machineId === machineId);
    const beat = Heartbeat.safeParse(jsonOf(data));
    if (!known || !beat.success) return;
    const isBack = this.#presence.heard(machineId, performance.now());
    const { publicKey } = known;
    // The name that somebody has given it in the fleet stays.
    const { deviceName } = known;
    const entry: Entry = {
      ...beat.data,
      deviceName,
      machineId,
      publicKey,
      online: true,
      lastSeenAt: Date.now(),
    };
    const before = this.#entries.get(machineId);
    this.#set(entry);
    this.#options.onHeard(machineId);
    const isChanged =
      before?.epoch !== entry.epoch || before.link !== entry.link || before.terminals !== entry.terminals;
    if (isBack || isChanged) this.#publish({ machines: [entry], removed: [] });
  }

  /** At the hub: a connection of the user with this key has ended. */
  onClosed(nkey: string): void {
    const machine = this.#facts?.machines.find(({ publicKey }) => nkeyOf(publicKey) === nkey);
    if (machine) this.#presence.closed(machine.machineId, performance.now());
  }

  /** At the hub: a machine was added or removed. */
  changed(machine: KnownMachine | { removed: string }): void {
    if ('removed' in machine) {
      this.#presence.forget(machine.removed);
      this.#remove(machine.removed);
      this.#publish({ machines: [], removed: [machine.removed] });
      return;
    }
    const entry = offline(machine);
    this.#set(entry);
    this.#publish({ machines: [entry], removed: [] });
  }

  /** At the hub: returns the whole directory, the hub's own machine included. */
  whole(): Uint8Array {
    const machines = [this.#own(), ...this.list()];
    return bytesOf({ isWhole: true, machines, removed: [] });
  }

  /** Elsewhere: what the hub says. */
  async onChanges(data: Uint8Array): Promise<void> {
    const facts = this.#facts;
    const parsed = Changes.safeParse(jsonOf(data));
    if (!facts || this.#isHub || !parsed.success) return;
    const { isWhole, machines, removed } = parsed.data;
    const me = this.#options.me().machineId;
    // The hub names machines; it cannot give the id of one to the key of another.
    const named = machines.filter(
      ({ machineId, publicKey }) => machineId !== me && machineIdOf(publicKey) === machineId,
    );
    const isNew = named.some(({ machineId }) => !this.#entries.has(machineId));
    for (const entry of named) this.#set(entry);
    const ids = new Set(named.map(({ machineId }) => machineId));
    const gone = isWhole ? this.list().filter(({ machineId }) => !ids.has(machineId)) : [];
    const all = [...removed, ...gone.map(({ machineId }) => machineId)].filter((id) => this.#entries.has(id));
    for (const id of all) this.#remove(id);
    if (isWhole || isNew || all.length > 0) await this.#keep();
  }

  get #facts(): FleetFacts | undefined {
    return this.#options.state.facts;
  }

  get #isHub(): boolean {
    return this.#facts?.role === 'hub';
  }

  #own(): Entry {
    return { ...this.#options.me(), online: true, lastSeenAt: Date.now() };
  }

  #beat(): void {
    const { machineId, publicKey: _key, ...beat } = this.#options.me();
    if (this.#link?.state !== 'connected') return;
    if (this.#isHub) this.#publish({ machines: [this.#own()], removed: [] });
    else void this.#link.publish(subjects.heartbeat(machineId), [bytesOf(beat)]);
  }

  #look(): void {
    for (const machineId of this.#presence.gone(performance.now())) {
      const entry = this.#entries.get(machineId);
      if (!entry) continue;
      const next = { ...entry, online: false };
      this.#set(next);
      this.#publish({ machines: [next], removed: [] });
      void this.#keep();
    }
  }

  #set(entry: Entry): void {
    const before = this.#entries.get(entry.machineId);
    this.#entries.set(entry.machineId, entry);
    const isAnother = before?.epoch !== entry.epoch || before.link !== entry.link;
    if (before?.online && (!entry.online || isAnother)) this.#options.onLost(entry.machineId);
    const { events } = this.#options;
    if (!before) events.ofMachine('machine.joined', entry);
    if (entry.online !== (before?.online ?? false))
      events.ofMachine(entry.online ? 'machine.online' : 'machine.offline', entry);
  }

  #remove(machineId: string): void {
    const entry = this.#entries.get(machineId);
    this.#entries.delete(machineId);
    this.#options.onLost(machineId);
    if (entry) this.#options.events.ofMachine('machine.left', entry);
  }

  #publish(changes: { machines: Entry[]; removed: string[] }): void {
    if (this.#isHub) void this.#link?.publish(subjects.DIRECTORY, [bytesOf({ isWhole: false, ...changes })]);
  }

  /** Writes down when machines were last seen; elsewhere than at the hub also which machines there are. */
  #keep(): Promise<void> {
    return this.#options.state.change((facts) => {
      const isHub = facts.role === 'hub';
      const machines = isHub
        ? facts.machines.map((known) => ({ ...known, ...seen(this.#entries.get(known.machineId)) }))
        : this.list().map(({ machineId, publicKey, deviceName, ...rest }) => ({
            ...{ machineId, publicKey, deviceName, os: rest.os },
            ...seen(rest),
            version: rest.version,
          }));
      return { ...facts, machines };
    });
  }
}

function seen(entry: Pick<Entry, 'version' | 'lastSeenAt'> | undefined) {
  return { lastSeenAt: entry?.lastSeenAt ?? null, ...(entry && { version: entry.version }) };
}

function offline(known: KnownMachine): Entry {
  return { ...known, epoch: '', link: 0, terminals: 0, protocols: { ...PROTOCOLS }, online: false };
}

function bytesOf(content: object): Uint8Array {
  return Buffer.from(JSON.stringify(content));
}

function jsonOf(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString());
  } catch {
    return undefined;
  }
}
