import { DomainError } from '../contract/errors.js';
import { FLEET_ACCEPT_MS, FLEET_FATE_MS } from '../contract/limits.js';
import type { CallsOut } from './calls-out.js';
import type { Directory } from './directory.js';
import { isDoneOnce } from './done-once.js';
import type { FleetCounts } from './fleet-counts.js';
import type { FleetEvents } from './fleet-events.js';
import type { FleetAnswer, FleetRequest } from './wire.js';

/**
 * Answers to a repeated request that leave open what became of the try before: a machine that is too busy may still be at
 * work on it, and a machine that no longer allows the request may have done it.
 */
const UNTOLD = [403, 503];

export interface RepeatsOptions {
  out: Pick<CallsOut, 'call'>;
  directory: Pick<Directory, 'get'>;
  events: FleetEvents;
  /** Names this start of the service in the keys that it makes. */
  epoch: string;
  counts: FleetCounts;
}

/**
 * Requests to other machines over a wire that may be cut. A request that must not be done twice gets an Idempotency-Key
 * if its client gave none: the receiver stores the key before it types, and does the request once. So a request that was
 * lost is sent again once the machine is back, and its client receives the outcome.
 */
export class Repeats {
  readonly #options: RepeatsOptions;
  #count = 0;

  constructor(options: RepeatsOptions) {
    this.#options = options;
  }

  /**
   * Sends a request until its fate is known, for up to FLEET_FATE_MS after the machine was lost. Rejects as
   * {@link CallsOut.call}: with machine-unreachable if the machine has not got it, with fleet-outcome-unknown, whose `key`
   * is the Idempotency-Key by which a client may repeat it, if nobody knows.
   */
  async call(machineId: string, request: FleetRequest, client: AbortSignal): Promise<FleetAnswer> {
    const { out, epoch, counts } = this.#options;
    if (!isDoneOnce(request)) return out.call(machineId, request, client);
    const key = request.key ?? `${epoch}.${++this.#count}`;
    let giveUpAt: number | undefined;
    for (;;) {
      const sentAt = performance.now();
      try {
        const answer = await out.call(machineId, { ...request, key }, client);
        if (giveUpAt === undefined || !UNTOLD.includes(answer.status)) return answer;
        // Another try would be refused as well.
        if (answer.status === 403) giveUpAt = sentAt;
        throw new DomainError('unavailable');
      } catch (error) {
        client.throwIfAborted();
        const code = error instanceof DomainError ? error.code : undefined;
        const isLost = code === 'fleet-outcome-unknown';
        // With such an error, a first try has not arrived; after a lost try, the outcome is unknown.
        if (code === undefined || (!isLost && giveUpAt === undefined)) throw error;
        const now = performance.now();
        // The request was in work there, so this cut is not the same as the one before.
        const isAnother = isLost && now - sentAt > FLEET_ACCEPT_MS + FLEET_FATE_MS;
        if (giveUpAt === undefined || isAnother) giveUpAt = now + FLEET_FATE_MS;
        if (await this.#untilOnline(machineId, giveUpAt, client)) {
          counts.repeated++;
          continue;
        }
        counts.unknown++;
        throw new DomainError('fleet-outcome-unknown', undefined, { cause: error, details: { key } });
      }
    }
  }

  /** Resolves with whether the machine is online before `deadline`. Rejects with the reason of `client`. */
  async #untilOnline(machineId: string, deadline: number, client: AbortSignal): Promise<boolean> {
    const { directory, events } = this.#options;
    const ms = deadline - performance.now();
    client.throwIfAborted();
    if (ms <= 0) return false;
    if (directory.get(machineId)?.online) {
      // The hub may detect the break later than this machine: a request that is sent in between is lost as well.
      await pause(Math.min(ms, RETRY_MS), client);
      return performance.now() < deadline;
    }
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        unsubscribe();
        client.removeEventListener('abort', aborted);
        settle();
      };
      const aborted = () => end(() => reject(client.reason as Error));
      const timer = setTimeout(() => end(() => resolve(false)), ms);
      const unsubscribe = events.subscribe(({ type, data }) => {
        if (type === 'machine.online' && data.machineId === machineId) end(() => resolve(true));
      });
      client.addEventListener('abort', aborted, { once: true });
    });
  }
}

/** Pause before a request is sent again to a machine that counts as online. */
const RETRY_MS = 100;

function pause(ms: number, client: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer);
      reject(client.reason as Error);
    };
    const timer = setTimeout(() => {
      client.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    client.addEventListener('abort', aborted, { once: true });
  });
}
