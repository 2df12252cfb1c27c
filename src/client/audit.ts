import { DisconnectedError } from './errors.js';
import { linesOf } from './lines.js';
import { objectOf } from './refusal.js';
import type { CallOptions, Requests } from './requests.js';
import type { AuditCheck, AuditEntry, AuditQuery } from './types.js';

/** Audit log of the service, which is written while the setting `audit.enabled` is on. */
export class AuditTrail {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /**
   * Yields the lines that match, oldest first; with `follow`, also each new one, until it throws DisconnectedError when the
   * service stops. `machine`: only actions here of the
   * machine with this id, or with `*` of any other machine of the fleet.
   */
  async *lines({
    signal,
    ...query
  }: AuditQuery & { follow?: boolean } & CallOptions = {}): AsyncGenerator<AuditEntry> {
    const path = query.machine === undefined ? '/api/audit' : '/api/fleet/audit';
    const pieces = this.#requests.pieces('GET', path, { query, signal });
    for await (const line of linesOf(pieces)) yield objectOf<AuditEntry>(line);
    if (query.follow) throw new DisconnectedError('The service has stopped');
  }

  /** Checks that no line was changed, added or taken away. */
  verify(call: CallOptions = {}): Promise<AuditCheck> {
    return this.#requests.get('/api/audit/verify', call);
  }
}
