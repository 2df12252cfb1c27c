import type { FleetEvent } from '../contract/fleet-event.js';
import type { Entry } from './entry.js';

/** Passes on the events of the fleet. */
export class FleetEvents {
  readonly #listeners = new Set<(event: FleetEvent) => void>();

  /** Returns a function that ends the subscription. */
  subscribe(listener: (event: FleetEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: FleetEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  /** Passes on an event of another machine. */
  ofMachine(
    type: Extract<FleetEvent, { type: `machine.${string}` }>['type'],
    { machineId, deviceName, lastSeenAt }: Entry,
  ): void {
    this.emit({ type, data: { machineId, deviceName, lastSeenAt } });
  }
}
