import { DomainError } from '../../contract/errors.js';
import {
  Frame,
  type HostRequest,
  type SpawnRequest,
  type SpawnResult,
} from '../../contract/host-protocol.js';
import { MAX_HOST_FRAME_BYTES } from '../../contract/limits.js';
import type { InputPart } from '../../contract/terminal.js';
import { encodeFrame, encodeJson } from './framing.js';
import { type HostCalls, toError } from './host-calls.js';
import { encodeTyping, encodeTypingAll } from './typing.js';

/** What became of typing into many, by the index of each terminal; into all others it was typed now. */
export interface TypedTogether {
  failures: Map<number, DomainError>;
  /** It was typed before, under the same id of an operation. */
  repeated: Set<number>;
}

interface ChangingDeps {
  calls: HostCalls;
  send(bytes: Uint8Array): void;
  kill(handle: number): Promise<void>;
}

/**
 * The calls of a connection that must not be carried out twice, nor after they were given up: each carries its deadline,
 * and one whose answer stays away rejects with `outcome-unknown`.
 */
export class ChangingCalls {
  readonly #deps: ChangingDeps;
  /** The last call that asks for a terminal, by its id. */
  readonly #asked = new Map<string, object>();

  constructor(deps: ChangingDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a program, unless the host has a terminal of this id: then it gives that one. Rejects with DomainError
   * `spawn-failed`, its message naming what is wrong, and `outcome-unknown`. One that was given up is killed where it
   * has been started all the same, unless it was asked for again meanwhile.
   */
  async spawn(spawn: SpawnRequest): Promise<SpawnResult> {
    const { id } = spawn;
    const own = {};
    this.#asked.set(id, own);
    const isLast = () => this.#asked.get(id) === own;
    const { value } = await this.#deps.calls.start(
      'spawn',
      (call, deadline) => this.#deps.send(requestFrame({ call, op: 'spawn', spawn, deadline })),
      {
        changes: true,
        late: ({ handle }) => {
          if (isLast()) void this.#deps.kill(handle).catch(() => {});
        },
      },
    );
    if (isLast()) this.#asked.delete(id);
    if (!value) throw new DomainError('spawn-failed');
    return value;
  }

  /**
   * Types the parts in order with nothing between them; resolves once they are accepted, with whether that was before,
   * under the same id of an operation. Rejects with DomainError `input-buffer-full` (none of it is typed),
   * `terminal-not-found`, `unavailable` (none of it is typed), or `outcome-unknown` (it is not typed later).
   */
  async type(handle: number, parts: readonly InputPart[], once: string): Promise<boolean> {
    const { isRepeated } = await this.#deps.calls.start(
      'type',
      (call, deadline) =>
        this.#deps.send(encodeFrame(Frame.type, handle, encodeTyping({ call, deadline, once }, parts))),
      { changes: true },
    );
    return isRepeated;
  }

  /**
   * Types the same into each of the terminals, in this order; resolves once that is done, by their index in `handles`:
   * with why not, as of {@link type}, and with those into which it was typed before. Rejects with `outcome-unknown`.
   */
  async typeAll(
    handles: readonly number[],
    parts: readonly InputPart[],
    once: string,
  ): Promise<TypedTogether> {
    const { failures, repeated } = await this.#deps.calls.start(
      'typeAll',
      (call, deadline) =>
        this.#deps.send(
          encodeFrame(Frame.typeAll, 0, encodeTypingAll({ call, deadline, once }, handles, parts)),
        ),
      { changes: true },
    );
    return {
      failures: new Map(failures.map((failure) => [failure.index, toError(failure)])),
      repeated: new Set(repeated),
    };
  }
}

/** Throws `invalid-request` for one that is too long: the host would have to hang up on it. */
export function requestFrame(request: HostRequest): Buffer {
  const frame = encodeJson(Frame.request, 0, request);
  if (frame.length > MAX_HOST_FRAME_BYTES) throw new DomainError('invalid-request', 'request is too long');
  return frame;
}
