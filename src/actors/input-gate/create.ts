import type { Registry } from '../registry.js';
import type { TerminalEvents } from '../terminal-events.js';
import type { GateSettings } from './ask.js';
import { InputGate } from './input-gate.js';

/** Creates the gate for the terminals of a registry. The gate forgets a terminal that has ended. */
export function createInputGate(
  { registry, events }: { registry: Pick<Registry, 'find'>; events: TerminalEvents },
  settings: () => GateSettings,
): InputGate {
  const gate = new InputGate({
    settings,
    isRunning: (id) => registry.find(id)?.exit === null,
    isInFlight: (id) => (registry.find(id)?.inFlight ?? 0) > 0,
    emit: (event) => events.emit(event),
  });
  events.subscribe((event) => gate.onEvent(event));
  return gate;
}
