import type { Changes, Entry } from './entry.js';
import type { FleetEvents } from './fleet-events.js';
import { machineIdOf } from './identity.js';

export interface EntriesOptions {
  events: FleetEvents;
  /** Called when a machine has gone offline, restarted or been removed: open requests to it get no answer. */
  onLost: (machineId: string) => void;
  /** Called when a machine was removed, so that its grants end. */
  onRemoved: () => void;
}

/** The other machines of the fleet as they are known; reports their changes. */
export class Entries {
  readonly #options: EntriesOptions;
  readonly byId = new Map<string, Entry>();

  constructor(options: EntriesOptions) {
    this.#options = options;
  }

  set(entry: Entry): void {
    const before = this.byId.get(entry.machineId);
    this.byId.set(entry.machineId, entry);
    const { events, onLost } = this.#options;
    if (before?.online && (!entry.online || isAnother(before, entry))) onLost(entry.machineId);
    if (!before) events.ofMachine('machine.joined', entry);
    if (entry.online !== (before?.online ?? false))
      events.ofMachine(entry.online ? 'machine.online' : 'machine.offline', entry);
  }

  remove(machineId: string): void {
    const { events, onLost, onRemoved } = this.#options;
    const entry = this.byId.get(machineId);
    this.byId.delete(machineId);
    onLost(machineId);
    onRemoved();
    if (entry) events.ofMachine('machine.left', entry);
  }

  /**
   * Takes what the hub has said about the machines other than `me`; a machine stays online until the hub knows whether it
   * is. Returns the machines that have left the fleet since, even if they have joined again, and whether the list of
   * machines has changed.
   */
  take({ isWhole, machines, removed }: Changes, me: string): { left: string[]; isChanged: boolean } {
    // The hub names machines; it cannot give the id of one to the key of another.
    const named = machines.filter(
      ({ machineId, publicKey }) => machineId !== me && machineIdOf(publicKey) === machineId,
    );
    const ids = new Set(named.map(({ machineId }) => machineId));
    const again = named.filter((entry) => isAnotherMember(this.byId.get(entry.machineId), entry));
    const gone = isWhole ? [...this.byId.keys()].filter((id) => !ids.has(id)) : [];
    const left = [...removed, ...gone, ...again.map(({ machineId }) => machineId)].filter((id) =>
      this.byId.has(id),
    );
    for (const id of new Set(left)) this.remove(id);
    const isNew = named.some(({ machineId }) => !this.byId.has(machineId));
    for (const { isUnheard, ...entry } of named)
      if (!isUnheard || !this.byId.get(entry.machineId)?.online) this.set(entry);
    return { left, isChanged: isNew || left.length > 0 };
  }

  /** Counts all machines as offline. */
  lose(): void {
    for (const entry of this.byId.values()) if (entry.online) this.set({ ...entry, online: false });
  }
}

/** Returns whether a machine's service or connection has begun anew, by two of its entries. */
export function isAnother(before: Entry | undefined, now: Entry | undefined): boolean {
  return before?.epoch !== now?.epoch || before?.link !== now?.link;
}

/**
 * Returns whether a machine has left the fleet and joined it again; a hub of an earlier release does not report that.
 */
function isAnotherMember(before: Entry | undefined, { joinedAt }: Entry): boolean {
  return before?.joinedAt !== undefined && joinedAt !== undefined && before.joinedAt !== joinedAt;
}
