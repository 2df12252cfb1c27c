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
import { type OnWritten, Unwritten } from './unwritten.js';

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
  readonly #unwritten = new Unwritten();
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
   * `terminal-not-found`, `unavailable` (none of it is typed), or `outcome-unknown` (it is not typed later). `onWritten`
   * is called when the terminal has taken all of it, unless the connection ends before.
   */
  async type(
    handle: number,
    parts: readonly InputPart[],
    once: string,
    onWritten?: OnWritten,
  ): Promise<boolean> {
    const { call, isRepeated } = await this.#start('type', 1, onWritten, (call, deadline) =>
      encodeFrame(Frame.type, handle, encodeTyping({ call, deadline, once }, parts)),
    );
    if (isRepeated) this.#unwritten.forget(call);
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
    onWritten?: OnWritten,
  ): Promise<TypedTogether> {
    const { call, failures, repeated } = await this.#start(
      'typeAll',
      handles.length,
      onWritten,
      (call, deadline) =>
        encodeFrame(Frame.typeAll, 0, encodeTypingAll({ call, deadline, once }, handles, parts)),
    );
    this.#unwritten.forget(call, failures.length + repeated.length);
    return {
      failures: new Map(failures.map((failure) => [failure.index, toError(failure)])),
      repeated: new Set(repeated),
    };
  }

  /** The payload of a `written` frame. Throws FramingError. */
  written(handle: number, payload: Buffer): void {
    this.#unwritten.written(handle, payload);
  }

  async #start(
    what: string,
    terminals: number,
    onWritten: OnWritten | undefined,
    frame: (call: number, deadline: number) => Buffer,
  ) {
    let number = 0;
    const send = (call: number, deadline: number) => {
      number = call;
      if (onWritten) this.#unwritten.expect(call, terminals, onWritten);
      this.#deps.send(frame(call, deadline));
    };
    try {
      const result = await this.#deps.calls.start(what, send, { changes: true });
      return { call: number, ...result };
    } catch (error) {
      this.#unwritten.forget(number);
      throw error;
    }
  }
}

/** Throws `invalid-request` for one that is too long: the host would have to hang up on it. */
export function requestFrame(request: HostRequest): Buffer {
  const frame = encodeJson(Frame.request, 0, request);
  if (frame.length > MAX_HOST_FRAME_BYTES) throw new DomainError('invalid-request', 'request is too long');
  return frame;
}
