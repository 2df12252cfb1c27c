import { DomainError, type ErrorCode } from '../../../contract/errors.js';
import type {
  HostReply,
  HostTerminal,
  ReadUpTo,
  SpawnResult,
  TmuxCapture,
  TypingFailure,
} from '../../../contract/host-protocol.js';
import { HOST_ANSWER_GRACE_MS } from '../../../contract/limits.js';
import { hrMs } from '../../clock.js';

/** The host's reply to a call; fields that a reply lacks are empty. */
interface Result {
  value: SpawnResult | null;
  parts: HostTerminal[];
  isRepeated: boolean;
  failures: TypingFailure[];
  repeated: number[];
  capture: TmuxCapture | null;
  read: ReadUpTo | null;
}

/** Options of a call besides its frame. */
export interface CallOptions {
  /**
   * Whether the call changes something. If it is given up or cut off, it may have been carried out all the same, so it
   * rejects with outcome-unknown.
   */
  changes?: boolean;
  /** Receives the started terminal, if the reply comes after the call was given up. */
  late?: (spawned: SpawnResult) => void;
}

interface Pending extends CallOptions {
  parts: HostTerminal[];
  rows: string[];
  timer: NodeJS.Timeout;
  resolve(result: Result): void;
  reject(error: Error): void;
}

/** Requests of one connection that wait for their replies; each settles soon after its deadline at the latest. */
export class HostCalls {
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  #ended: Error | null = null;
  readonly #deadlineMs: number;
  /** Handlers of calls that were given up. */
  readonly #late = new Map<number, Required<CallOptions>['late']>();

  /** @param deadlineMs - deadline of each call, in milliseconds */
  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  /**
   * Starts a call. `send` gets the number of the call and its deadline, on the clock of `hrMs`. Rejects with the host's
   * error, after the deadline, at {@link end}, or with the error that `send` throws.
   */
  start(
    what: string,
    send: (call: number, deadline: number) => void,
    options: CallOptions = {},
  ): Promise<Result> {
    if (this.#ended) return Promise.reject(this.#ended);
    this.#last += 1;
    const call = this.#last;
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#pending.delete(call);
        if (options.late) this.#late.set(call, options.late);
        const error = new DomainError('unavailable', `the pty host did not answer ${what}`);
        reject(options.changes ? unknown(error) : error);
      };
      const timer = setTimeout(giveUp, this.#deadlineMs + HOST_ANSWER_GRACE_MS);
      this.#pending.set(call, { parts: [], rows: [], timer, resolve, reject, ...options });
      try {
        send(call, hrMs() + this.#deadlineMs);
      } catch (error) {
        clearTimeout(timer);
        this.#pending.delete(call);
        reject(error);
      }
    });
  }

  reply(reply: HostReply): void {
    const pending = this.#pending.get(reply.call);
    if (!pending) {
      if ('value' in reply && reply.value) this.#late.get(reply.call)?.(reply.value);
      this.#late.delete(reply.call);
      return;
    }
    if ('part' in reply) {
      pending.parts.push(reply.part);
      return;
    }
    if ('rows' in reply) {
      for (const row of reply.rows) pending.rows.push(row);
      return;
    }
    this.#pending.delete(reply.call);
    clearTimeout(pending.timer);
    if ('error' in reply) pending.reject(toError(reply.error));
    else pending.resolve(resultOf(reply, pending));
  }

  /** Rejects every waiting and every later call, because the connection has ended. */
  end(error: Error): void {
    this.#ended = error;
    for (const { timer, reject, changes } of this.#pending.values()) {
      clearTimeout(timer);
      reject(changes ? unknown(error) : error);
    }
    this.#pending.clear();
    this.#late.clear();
  }
}

type Last = Exclude<HostReply, { part: unknown } | { rows: unknown } | { error: unknown }>;

function resultOf(reply: Last, { parts, rows }: Pending): Result {
  const result = { value: null, read: null, isRepeated: false, failures: [], repeated: [], parts, ...reply };
  return { ...result, capture: 'capture' in reply && reply.capture ? { ...reply.capture, rows } : null };
}

function unknown(cause: Error): DomainError {
  return new DomainError('outcome-unknown', undefined, { cause });
}

/** Returns the error of the catalogue for an error in a reply. */
export function toError({ code, message }: { code: ErrorCode; message: string }): DomainError {
  return new DomainError(code, message);
}
