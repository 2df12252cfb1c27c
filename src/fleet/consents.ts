import { randomBytes } from 'node:crypto';
import { DomainError } from '../contract/errors.js';
import type { UseRequest } from '../contract/fleet-consent.js';
import { FLEET_CONSENT_MS, MAX_CONSENT_CHARS } from '../contract/limits.js';
import type { FleetEvents } from './fleet-events.js';
import { covers, type Need, type Peer, type PinnedGrant } from './rights.js';

type Decision = 'approved' | 'denied' | 'expired' | 'gone';

interface Waiting {
  request: UseRequest;
  decide: (decision: Decision) => void;
}

/** A request for a person's approval. */
export interface Wanted {
  peer: Peer;
  method: string;
  url: string;
  /** Parsed. */
  body: unknown;
  need: Need;
  /** All grants of the machine. */
  grants: readonly PinnedGrant[];
}

export interface ConsentsOptions {
  events: FleetEvents;
  deviceNameOf: (machineId: string) => string;
  labelsOf: (id: string) => Readonly<Record<string, string>> | undefined;
  /** Notes that grants that ask the first time were approved; resolves once that is on the disk. */
  approved: (ids: readonly string[]) => Promise<void>;
}

/** Requests of other machines that wait for a person of this machine. Without an answer in time the answer is no. */
export class Consents {
  readonly #options: ConsentsOptions;
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: ConsentsOptions) {
    this.#options = options;
  }

  /** Returns the requests that wait, oldest first. */
  list(): UseRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request);
  }

  /**
   * Resolves once a person has approved a request. Rejects with not-granted if it was denied, or nobody has answered
   * within FLEET_CONSENT_MS, and with the reason of `ended`.
   */
  async ask(wanted: Wanted, ended: AbortSignal): Promise<void> {
    ended.throwIfAborted();
    const request = this.#requestOf(wanted);
    const { events, approved } = this.#options;
    const { id, machineId } = request;
    let decide!: (decision: Decision) => void;
    const decided = new Promise<Decision>((resolve) => {
      decide = resolve;
    });
    const gone = () => decide('gone');
    const timer = setTimeout(() => decide('expired'), FLEET_CONSENT_MS);
    ended.addEventListener('abort', gone, { once: true });
    this.#waiting.set(id, { request, decide });
    events.emit({ type: 'fleet.asked', data: request });
    const decision = await decided;
    clearTimeout(timer);
    ended.removeEventListener('abort', gone);
    this.#waiting.delete(id);
    events.emit({ type: 'fleet.answered', data: { id, machineId, decision } });
    if (decision === 'gone') throw ended.reason;
    if (decision !== 'approved') throw new DomainError('not-granted', WHY[decision]);
    await approved(this.#firsts(wanted));
  }

  /**
   * Decides the request with this id, and returns it; undefined if the id is that of a machine that asks to join. Throws
   * request-not-found if the request was answered or has ended.
   */
  decide(id: string, decision: 'approved' | 'denied'): UseRequest | undefined {
    if (!id.startsWith(PREFIX)) return undefined;
    const waiting = this.#waiting.get(id);
    if (!waiting)
      throw new DomainError('request-not-found', 'No such request waits: it was answered, or has ended');
    waiting.decide(decision);
    return waiting.request;
  }

  /** Returns the grants behind a request that ask the first time only. */
  #firsts({ need: { rights, reach }, grants }: Wanted): string[] {
    const { labelsOf } = this.#options;
    const isBehind = (grant: PinnedGrant) =>
      grant.can.some((right) => rights.includes(right)) &&
      (reach === 'all'
        ? grant.terminals === '*'
        : reach.length === 0 || reach.some((id) => covers(grant, id, labelsOf(id))));
    return grants.filter((grant) => grant.ask === 'first' && isBehind(grant)).map(({ id }) => id);
  }

  #requestOf({ peer: { machineId }, method, url, body, need }: Wanted): UseRequest {
    const [path = ''] = url.split('?', 1);
    const askedAt = Date.now();
    return {
      id: PREFIX + randomBytes(6).toString('hex'),
      ...{ machineId, deviceName: this.#options.deviceNameOf(machineId) },
      action: `${method} ${path}`,
      terminalIds: need.reach === 'all' ? [] : [...need.reach],
      text: textOf(body),
      ...{ askedAt, expiresAt: askedAt + FLEET_CONSENT_MS },
    };
  }
}

/** Begins the ids of requests that wait for a person; ids of machines that ask to join begin otherwise. */
const PREFIX = 'use_';

const WHY = {
  denied: 'not granted: a person at that machine has denied it',
  expired: 'not granted: nobody at that machine has approved it in time',
} as const;

/**
 * Returns the content of a request besides its terminals: its only field as text, or all fields as JSON, so that no field
 * is approved unseen. A long text is cut, with a note of how much is left out.
 */
function textOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const { terminalId: _id, terminalIds: _ids, ...fields } = body as Record<string, unknown>;
  const values = Object.values(fields);
  if (values.length === 0) return null;
  const [only] = values;
  const text = values.length === 1 && typeof only === 'string' ? only : JSON.stringify(fields);
  const more = text.length - MAX_CONSENT_CHARS;
  return more > 0 ? `${text.slice(0, MAX_CONSENT_CHARS)}… (and ${more} more characters)` : text;
}
