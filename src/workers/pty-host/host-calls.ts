import { DomainError, type ErrorCode } from '../../contract/errors.js';
import type {
  HostReply,
  HostTerminal,
  SpawnResult,
  TmuxCapture,
  TypingFailure,
} from '../../contract/host-protocol.js';
import { CALL_DEADLINE_MS } from '../../contract/limits.js';

/** What the host answers to a call: whichever of them it has. */
interface Result {
  value: SpawnResult | null;
  parts: HostTerminal[];
  failures: TypingFailure[];
  capture: TmuxCapture | null;
}

interface Pending {
  parts: HostTerminal[];
  rows: string[];
  timer: NodeJS.Timeout;
  resolve(result: Result): void;
  reject(error: Error): void;
}

/** Requests of one connection that wait for their replies; each ends by CALL_DEADLINE_MS. */
export class HostCalls {
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  #ended: Error | null = null;
  readonly #onLateSpawn: (spawned: SpawnResult) => void;

  /** `onLateSpawn` is given a terminal that was started after its request's deadline. */
  constructor(onLateSpawn: (spawned: SpawnResult) => void) {
    this.#onLateSpawn = onLateSpawn;
  }

  /** `send` is given the number of the call. Rejects with what the host answers, at the deadline at {@link end}, or what `send` throws. */
  start(what: string, send: (call: number) => void): Promise<Result> {
    if (this.#ended) return Promise.reject(this.#ended);
    this.#last += 1;
    const call = this.#last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(call);
        reject(new DomainError('unavailable', `the pty host did not answer ${what}`));
      }, CALL_DEADLINE_MS);
      this.#pending.set(call, { parts: [], rows: [], timer, resolve, reject });
      try {
        send(call);
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
      if ('value' in reply && reply.value) this.#onLateSpawn(reply.value);
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

  /** The connection has ended: everything that waits, and all that comes, rejects. */
  end(error: Error): void {
    this.#ended = error;
    for (const { timer, reject } of this.#pending.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#pending.clear();
  }
}

type Last = Exclude<HostReply, { part: unknown } | { rows: unknown } | { error: unknown }>;

function resultOf(reply: Last, { parts, rows }: Pending): Result {
  const result = { value: null, failures: [], parts, ...reply };
  return { ...result, capture: 'capture' in reply && reply.capture ? { ...reply.capture, rows } : null };
}

/** The error of the catalogue that the host speaks of. */
export function toError({ code, message }: { code: ErrorCode; message: string }): DomainError {
  return new DomainError(code, message);
}
