import type { MessagePort } from 'node:worker_threads';
import { type Endpoint, expose, type Remote, transferHandlers, wrap } from 'comlink';
import { DomainError, type ErrorCode } from '../contract/errors.js';
import { CALL_DEADLINE_MS } from '../contract/limits.js';

/**
 * Calls from one thread to another by Comlink. Adds what Comlink lacks: an end for every call (a result, an error, a
 * deadline, or the death of the other thread), and errors that keep their code.
 */
export class Link<Api> {
  readonly #remote: Remote<Api>;
  readonly #abandon = new Set<(reason: Error) => void>();
  #death: Error | undefined;

  /** `died` settles with the reason when the other thread is gone; calls in flight then reject. */
  constructor(end: CallEnd, died: Promise<Error>) {
    this.#remote = wrap<Api>(end);
    void died.then((reason) => {
      this.#death = reason;
      for (const abandon of this.#abandon) abandon(reason);
      this.#abandon.clear();
    });
  }

  /**
   * Runs `request` on the other thread, as in `link.call((shard) => shard.snapshot(id))`. Rejects with the
   * {@link DomainError} thrown there, or with `unavailable` at the deadline or at the death of the thread.
   */
  call<Result>(
    request: (api: Remote<Api>) => Promise<Result>,
    deadlineMs = CALL_DEADLINE_MS,
  ): Promise<Result> {
    if (this.#death) return Promise.reject(unavailable(this.#death));
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(deadline);
        this.#abandon.delete(abandon);
      };
      const abandon = (reason: Error) => {
        settle();
        reject(unavailable(reason));
      };
      const deadline = setTimeout(() => abandon(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
      this.#abandon.add(abandon);
      request(this.#remote).then(
        (result) => {
          settle();
          resolve(result);
        },
        (error: unknown) => {
          settle();
          reject(revive(error));
        },
      );
    });
  }
}

/**
 * Comlink's end of a port that carries other messages, too, so that calls, replies and these messages keep their order.
 * The owner of the port posts Comlink's messages, and passes on Comlink's messages that arrive.
 */
export class CallEnd implements Endpoint {
  readonly postMessage: (message: unknown, transfer?: Transferable[]) => void;
  readonly #listeners = new Set<(event: { data: unknown }) => void>();

  /** @param postMessage - posts a message of Comlink's to the other thread */
  constructor(postMessage: (message: unknown, transfer?: Transferable[]) => void) {
    this.postMessage = postMessage;
  }

  addEventListener(_type: string, listener: (event: { data: unknown }) => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: string, listener: (event: { data: unknown }) => void): void {
    this.#listeners.delete(listener);
  }

  /** Passes on a message of Comlink's that has arrived. */
  take(message: unknown): void {
    for (const listener of this.#listeners) listener({ data: message });
  }
}

/** Serves `api` to the thread at the other end. */
export function serve(api: object, end: CallEnd): void {
  keepErrorCodes();
  expose(api, end);
}

function unavailable(cause: Error): DomainError {
  return new DomainError('unavailable', undefined, { cause });
}

function revive(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error.name !== 'DomainError') return error;
  return new DomainError(error.code as ErrorCode, error.message);
}

/** Makes Comlink transfer an error's code, on which callers act; it copies only message, name and stack. */
function keepErrorCodes(): void {
  const handler = transferHandlers.get('throw');
  if (!handler) throw new Error('comlink has no handler for thrown errors');
  transferHandlers.set('throw', {
    ...handler,
    serialize(thrown: { value: unknown }) {
      const [wire, transfer] = handler.serialize(thrown) as [
        { isError: boolean; value: object },
        Transferable[],
      ];
      if (!(thrown.value instanceof DomainError)) return [wire, transfer];
      return [{ ...wire, value: { ...wire.value, code: thrown.value.code } }, transfer];
    },
  });
}

type Transferable = NonNullable<Parameters<MessagePort['postMessage']>[1]>[number];
