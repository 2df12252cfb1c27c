import type { EngineEvent } from '../events.js';
import type { Registry } from '../registry.js';
import type { TerminalEvents } from '../terminal-events.js';
import { Admission, type AdmissionOptions } from './admission.js';

interface Sources {
  registry: Pick<Registry, 'list' | 'find'>;
  events: Pick<TerminalEvents, 'subscribe'>;
}

/** Events after which more or fewer terminals run, or some have other labels. */
const CHANGES: ReadonlySet<EngineEvent['type']> = new Set([
  ...(['created', 'adopted', 'updated', 'exited', 'removed'] as const),
]);

/** Returns an admission that counts the running terminals of a registry, and looks again whenever they change. */
export function admissionTo(
  { registry, events }: Sources,
  options: Pick<AdmissionOptions, 'settings' | 'memory'>,
): Admission {
  const admission = new Admission({
    ...options,
    running: () => registry.list('running').map(({ meta }) => meta.labels),
    isListed: (id) => registry.find(id) !== undefined,
  });
  events.subscribe(({ type }) => {
    if (CHANGES.has(type)) admission.look();
  });
  return admission;
}
