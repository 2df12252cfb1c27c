import { FLEET_CLOSED_MS, FLEET_SILENT_MS } from '../contract/limits.js';

/** Signs of life of a machine, on a monotonic clock in milliseconds. */
interface Signs {
  heardAt: number;
  /** When its connection ended, if there was no sign of life since. */
  closedAt?: number | undefined;
}

/** Decides which machines are online, by their signs of life at the hub. */
export class Presence {
  readonly #signs = new Map<string, Signs>();

  /** Notes a sign of life; returns whether the machine was offline before. */
  heard(machineId: string, now: number): boolean {
    const isNew = !this.#signs.has(machineId);
    this.#signs.set(machineId, { heardAt: now });
    return isNew;
  }

  /** Notes that a connection of a machine has ended; the machine may be about to connect again. */
  closed(machineId: string, now: number): void {
    const signs = this.#signs.get(machineId);
    if (signs) signs.closedAt ??= now;
  }

  forget(machineId: string): void {
    this.#signs.delete(machineId);
  }

  isOnline(machineId: string): boolean {
    return this.#signs.has(machineId);
  }

  /** Returns the machines that count as offline from now on. */
  gone(now: number): string[] {
    const gone = [...this.#signs].filter(
      ([, { heardAt, closedAt }]) =>
        now - heardAt >= FLEET_SILENT_MS || (closedAt !== undefined && now - closedAt >= FLEET_CLOSED_MS),
    );
    for (const [machineId] of gone) this.#signs.delete(machineId);
    return gone.map(([machineId]) => machineId);
  }
}
