import { FLEET_CLOSED_MS, FLEET_SILENT_MS } from '../contract/limits.js';

/** Signs of life of a machine, on a monotonic clock in milliseconds. */
interface Signs {
  heardAt: number;
  /** When its connection ended, if there was no sign of life since. */
  closedAt?: number | undefined;
  /** The server's number of the connection of the last sign of life, if that is known; numbers grow. */
  connection?: number | undefined;
  /** Whether there was no sign of life so far. */
  isExpected?: boolean;
}

/** Decides which machines are online, by their signs of life at the hub. */
export class Presence {
  readonly #signs = new Map<string, Signs>();

  /** Notes that a machine may be online, although it was not heard: {@link gone} reports it unless it is heard in time. */
  expect(machineId: string, now: number): void {
    this.#signs.set(machineId, { heardAt: now, isExpected: true });
  }

  /** Returns whether a machine was neither heard so far, nor silent for long enough to count as offline. */
  isUnheard(machineId: string): boolean {
    return this.#signs.get(machineId)?.isExpected ?? false;
  }

  /** Notes a sign of life; returns whether the machine was not known to be online before. */
  heard(machineId: string, now: number, connection?: number): boolean {
    const { isExpected: isNew = false } = this.#signs.get(machineId) ?? { isExpected: true };
    this.#signs.set(machineId, { heardAt: now, connection });
    return isNew;
  }

  /**
   * Notes that a connection of a machine has ended; the machine may be about to connect again, or have done so long before
   * the server noticed the end.
   */
  closed(machineId: string, now: number, connection?: number): void {
    const signs = this.#signs.get(machineId);
    const isEarlier = connection !== undefined && connection < (signs?.connection ?? connection);
    if (signs && !isEarlier) signs.closedAt ??= now;
  }

  forget(machineId: string): void {
    this.#signs.delete(machineId);
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
