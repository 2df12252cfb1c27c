import type { Entry } from './entry.js';
import type { FleetEvents } from './fleet-events.js';

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
    const isAnother = before?.epoch !== entry.epoch || before.link !== entry.link;
    const { events, onLost } = this.#options;
    if (before?.online && (!entry.online || isAnother)) onLost(entry.machineId);
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

  /** Counts all machines as offline. */
  lose(): void {
    for (const entry of this.byId.values()) if (entry.online) this.set({ ...entry, online: false });
  }
}
