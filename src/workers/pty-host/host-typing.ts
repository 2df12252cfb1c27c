import { DomainError } from '../../contract/errors.js';
import { Frame, type TypingFailure } from '../../contract/host-protocol.js';
import { hrMs } from '../clock.js';
import type { HostedTerminal } from './hosted-terminal.js';
import type { Niceness } from './processes/niceness.js';
import { TypedOnce } from './typed-once.js';
import { encodeFrame } from './wire/framing.js';
import { faultOf, type HostFault, TOO_LATE } from './wire/host-fault.js';
import type { Peer } from './wire/peer.js';
import {
  decodeTyping,
  decodeTypingAll,
  encodeWritten,
  type TypedPart,
  type TypingHead,
} from './wire/typing.js';

/** The connection that types, and that receives the outcome. */
type Client = Pick<Peer, 'write' | 'json' | 'together'>;

/** Types for the service: each operation once, and none that the service has given up. */
export class HostTyping {
  readonly #terminals: ReadonlyMap<number, HostedTerminal>;
  readonly #niceness: Pick<Niceness, 'attend'>;
  /** Operations that were carried out. */
  readonly typed = new TypedOnce(hrMs);

  constructor(terminals: ReadonlyMap<number, HostedTerminal>, niceness: Pick<Niceness, 'attend'>) {
    this.#terminals = terminals;
    this.#niceness = niceness;
  }

  /** Carries out and answers a `type` frame. Throws FramingError. */
  type(client: Client, handle: number, payload: Buffer): void {
    const { parts, ...head } = decodeTyping(payload);
    const terminal = this.#terminals.get(handle);
    if (terminal) this.#niceness.attend(terminal.record.session);
    client.together(() => {
      const outcome = this.#typeInto(client, handle, head, parts);
      const answer = typeof outcome === 'object' ? { error: outcome } : { isRepeated: outcome };
      client.json(Frame.reply, 0, { call: head.call, ...answer });
    });
  }

  /** Carries out and answers a `typeAll` frame. Throws FramingError. */
  typeAll(client: Client, payload: Buffer): void {
    const { handles, parts, ...head } = decodeTypingAll(payload);
    const failures: TypingFailure[] = [];
    const repeated: number[] = [];
    client.together(() => {
      for (const [index, handle] of handles.entries()) {
        const outcome = this.#typeInto(client, handle, head, parts);
        if (typeof outcome === 'object') failures.push({ index, ...outcome });
        else if (outcome) repeated.push(index);
      }
      client.json(Frame.reply, 0, { call: head.call, failures, repeated });
    });
  }

  /** Types all parts or none. Returns whether they were typed before, or why they are not typed. */
  #typeInto(
    client: Client,
    handle: number,
    { call, once, deadline }: TypingHead,
    parts: readonly TypedPart[],
  ): boolean | HostFault {
    if (once !== '' && this.typed.has(handle, once)) return true;
    if (hrMs() > deadline) return TOO_LATE;
    try {
      const terminal = this.#terminals.get(handle);
      if (!terminal) throw new DomainError('terminal-not-found');
      // This may be called long after the request was accepted.
      terminal.type(parts, (written) =>
        client.write(encodeFrame(Frame.written, handle, encodeWritten(call, written))),
      );
    } catch (error) {
      return faultOf(error);
    }
    if (once !== '') this.typed.add(handle, once);
    return false;
  }
}
