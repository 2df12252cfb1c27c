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

/** What is asked for. */
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

  /** Returns whether there is a request with this id; then it is decided. */
  decide(id: string, decision: 'approved' | 'denied'): UseRequest | undefined {
    const waiting = this.#waiting.get(id);
    waiting?.decide(decision);
    return waiting?.request;
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
      id: `use_${randomBytes(6).toString('hex')}`,
      ...{ machineId, deviceName: this.#options.deviceNameOf(machineId) },
      action: `${method} ${path}`,
      terminalIds: need.reach === 'all' ? [] : [...need.reach],
      text: textOf(path, body),
      ...{ askedAt, expiresAt: askedAt + FLEET_CONSENT_MS },
    };
  }
}

const WHY = {
  denied: 'not granted: a person at that machine has denied it',
  expired: 'not granted: nobody at that machine has approved it in time',
} as const;

/** The field of a body that is typed or run, by the end of the path; a field that the route drops is none. */
const TYPED: readonly (readonly [path: RegExp, fields: readonly string[]])[] = [
  [/\/input$/, ['data']],
  [/\/keys$/, ['keys']],
  [/\/(execute|prompt)$/, ['prompt']],
  [/\/batch\/run$/, ['command', 'runs']],
  [/\/api\/terminals$/, ['command', 'profile', 'cwd', 'env']],
];

/** Returns what a request types or runs, as text or as JSON; of a long one the beginning, which says so. */
function textOf(path: string, body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const fields =
    path === '/api/fleet/execute' ? ['command'] : TYPED.find(([pattern]) => pattern.test(path))?.[1];
  const values = (fields ?? []).flatMap((name) => {
    const value = (body as Record<string, unknown>)[name];
    return value === undefined ? [] : [typeof value === 'string' ? value : JSON.stringify(value)];
  });
  const text = values.join('\n');
  if (text === '') return null;
  const more = text.length - MAX_CONSENT_CHARS;
  return more > 0 ? `${text.slice(0, MAX_CONSENT_CHARS)}… (and ${more} more characters)` : text;
}
