import { create } from 'zustand';
import { ConflictError, type Lease } from '../../../src/client/browser.js';
import { say } from '../parts/toasts.js';
import { service } from '../service.js';

/** Time for which a window that dies with a lease keeps programs out. */
const TTL_MS = 120_000;
/** The browser runs the timers of a hidden page once a minute. */
const RENEW_MS = 30_000;

/** The leases that this window has, by terminal. */
export const useHeldLeases = create<{ leases: ReadonlyMap<string, Lease> }>(() => ({ leases: new Map() }));

const renewing = new Map<string, ReturnType<typeof setInterval>>();

/** Returns the id of the lease under which this window types into a terminal. */
export function heldLease(terminalId: string): string | undefined {
  return useHeldLeases.getState().leases.get(terminalId)?.leaseId;
}

/**
 * Takes the lease of a terminal from any holder, and keeps it until {@link giveBack}. Gives it back at once if the
 * signal has fired meanwhile. Rejects with the service's refusal.
 */
export async function takeOver(terminalId: string, { signal }: { signal: AbortSignal }): Promise<void> {
  const lease = await service.terminals.get(terminalId).lease({ takeover: true, ttlMs: TTL_MS });
  if (signal.aborted) return lease.end();
  dropLease(terminalId);
  useHeldLeases.setState(({ leases }) => ({ leases: new Map(leases).set(terminalId, lease) }));
  const renew = () =>
    lease.renew(TTL_MS).catch((error: unknown) => {
      // After any other failure the next renewal tries again.
      if (!(error instanceof ConflictError) || heldLease(terminalId) !== lease.leaseId) return;
      dropLease(terminalId);
      say('You have the terminal no longer: programs can type again', true);
    });
  renewing.set(terminalId, setInterval(renew, RENEW_MS));
}

/** Lets programs type again. Resolves also if the lease has ended before. */
export async function giveBack(terminalId: string): Promise<void> {
  const lease = useHeldLeases.getState().leases.get(terminalId);
  if (!lease) return;
  dropLease(terminalId);
  try {
    await lease.end();
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
}

/** Forgets a lease that has ended. */
export function dropLease(terminalId: string): void {
  clearInterval(renewing.get(terminalId));
  renewing.delete(terminalId);
  useHeldLeases.setState(({ leases }) => ({
    leases: new Map([...leases].filter(([id]) => id !== terminalId)),
  }));
}
