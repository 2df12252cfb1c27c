import { DomainError } from '../../../contract/errors.js';
import {
  Frame,
  type HostRequest,
  type SpawnRequest,
  type SpawnResult,
} from '../../../contract/host-protocol.js';
import { MAX_HOST_FRAME_BYTES } from '../../../contract/limits.js';
import type { SignalRequest } from '../../../contract/signal.js';
import type { InputPart } from '../../../contract/terminal.js';
import { encodeFrame, encodeJson } from '../wire/framing.js';
import { encodeTyping, encodeTypingAll } from '../wire/typing.js';
import { type HostCalls, toError } from './host-calls.js';
import { type OnWritten, Unwritten } from './unwritten.js';

/** Outcome of typing into many terminals, by their indexes; all others were typed into by this call. */
export interface TypedTogether {
  failures: Map<number, DomainError>;
  /** Terminals that were typed into before, under the same operation id. */
  repeated: Set<number>;
}

interface ChangingDeps {
  calls: HostCalls;
  send(bytes: Uint8Array): void;
}

/**
 * The calls of a connection that must not be carried out twice, or after they were given up. Each carries its
 * deadline, and rejects with `outcome-unknown` if no answer comes.
 */
export class ChangingCalls {
  readonly #deps: ChangingDeps;
  readonly #unwritten = new Unwritten();
  /** The last call that asked for a terminal, by the id of the terminal. */
  readonly #asked = new Map<string, object>();

  constructor(deps: ChangingDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a program, or returns the host's terminal of this id if there is one. Rejects with DomainError
   * `spawn-failed`, whose message names the fault, `unavailable` (nothing was started), and `outcome-unknown`. If a
   * start that was given up succeeds after all, `late` gets its terminal, unless the same id was asked for again
   * meanwhile.
   */
  async spawn(spawn: SpawnRequest, late: (spawned: SpawnResult) => void): Promise<SpawnResult> {
    const { id } = spawn;
    const own = {};
    this.#asked.set(id, own);
    /** Returns whether the id was not asked for again, and forgets it then. */
    const settle = () => this.#asked.get(id) === own && this.#asked.delete(id);
    const call = this.#deps.calls.start(
      'spawn',
      (call, deadline) => this.#deps.send(requestFrame({ call, op: 'spawn', spawn, deadline })),
      {
        changes: true,
        late: (spawned) => {
          if (settle()) late(spawned);
        },
      },
    );
    const { value } = await call.catch((error: unknown) => {
      // Without an answer (the error then has a cause), one may still come, with a terminal for `late`.
      if (!(error instanceof DomainError && error.code === 'outcome-unknown' && error.cause)) settle();
      throw error;
    });
    settle();
    if (!value) throw new DomainError('spawn-failed');
    return value;
  }

  /**
   * Types the parts in order with nothing between them. Resolves once they are accepted, with whether they were typed
   * before under the same operation id. Rejects with DomainError `input-buffer-full` (none of it is typed),
   * `terminal-not-found`, `unavailable` (none of it is typed), or `outcome-unknown` (it is not typed later).
   * `onWritten` is called when the terminal has taken all of it, unless the connection ends before.
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
   * Types the same parts into each of the terminals, in this order. Resolves once that is done with results by index in
   * `handles`: the failures, with errors as of {@link type}, and the terminals that were typed into before. Rejects
   * with `outcome-unknown`.
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

  /**
   * Signals the job in the foreground of a terminal. Rejects with DomainError `terminal-not-found`,
   * `no-foreground-job`, `forbidden` (another user's job), `unavailable` (nothing was sent), and `outcome-unknown`.
   */
  async signal(handle: number, request: SignalRequest): Promise<void> {
    await this.#deps.calls.start(
      'signal',
      (call, deadline) => this.#deps.send(requestFrame({ call, op: 'signal', handle, ...request, deadline })),
      { changes: true },
    );
  }

  /** Handles the payload of a `written` frame. Throws FramingError. */
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

/** Encodes a request. Throws `invalid-request` if it is too long, since the host would have to close the connection. */
export function requestFrame(request: HostRequest): Buffer {
  const frame = encodeJson(Frame.request, 0, request);
  if (frame.length > MAX_HOST_FRAME_BYTES) throw new DomainError('invalid-request', 'request is too long');
  return frame;
}
