import { useMemo } from 'react';
import { useFleet } from '../fleet/fleet-store.js';

const byName = new Intl.Collator(undefined, { numeric: true });

/** Returns all terminals of this machine, by name. */
export function useNamedTerminals() {
  const terminals = useFleet((state) => state.terminals);
  return useMemo(() => [...terminals.values()].sort((a, b) => byName.compare(a.name, b.name)), [terminals]);
}
