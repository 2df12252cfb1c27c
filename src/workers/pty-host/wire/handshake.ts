import { connect, type Socket } from 'node:net';
import {
  AnyHello,
  commonProtocol,
  HOST_PROTOCOLS,
  type Introduction,
  type ProtocolRange,
  Refused,
  Welcome,
} from '../../../contract/host-greeting.js';
import { Frame } from '../../../contract/host-protocol.js';
import { CALL_DEADLINE_MS, MAX_HOST_FRAME_BYTES } from '../../../contract/limits.js';
import { HostBusy, HostProtocolMismatch, HostUnreachable } from '../client/host-errors.js';
import { encodeJson, FrameDecoder, FramingError, type OnFrame, parseJson } from './framing.js';

/** Covers the longer fields of a `restore`: the longest checkpoint that a host takes must fit when it comes back. */
const RESTORE_FIELDS_BYTES = 32;

export interface Greeted {
  socket: Socket;
  welcome: Welcome;
  /** Sets the receiver of all further frames. Set it at once: an earlier frame would be taken for a greeting. */
  onFrame(receive: OnFrame): void;
}

/**
 * Connects and says hello, in the newest version of `ours` that the host speaks. Rejects with {@link HostUnreachable},
 * {@link HostBusy}, {@link HostProtocolMismatch}, or FramingError for an answer that is no greeting; then the socket is
 * closed.
 */
export async function greetHost(
  path: string,
  introduction: Introduction,
  ours: ProtocolRange = HOST_PROTOCOLS,
): Promise<Greeted> {
  const greet = (protocol: number) => {
    const hello = encodeJson(Frame.hello, 0, { ...introduction, protocol, protocols: ours });
    return greetIn(path, hello, { ...ours, max: protocol });
  };
  try {
    return await greet(ours.max);
  } catch (error) {
    const common = error instanceof HostProtocolMismatch ? commonProtocol(ours, error.theirs) : null;
    // A host without a range accepts a hello of its own version only.
    if (common === null || common === ours.max) throw error;
    return greet(common);
  }
}

function greetIn(path: string, hello: Uint8Array, ours: ProtocolRange): Promise<Greeted> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const fail = (error: Error) => {
      clearTimeout(deadline);
      socket.destroy();
      reject(error);
    };
    const unreachable = (why: string, cause?: unknown) =>
      fail(new HostUnreachable(`the pty host at ${path} ${why}`, { cause }));
    const deadline = setTimeout(() => unreachable('does not answer'), CALL_DEADLINE_MS);
    let receive: OnFrame = (type, _terminal, payload) => {
      const answer = greeting(type, payload, ours);
      if (answer instanceof Error) return fail(answer);
      clearTimeout(deadline);
      resolve({
        socket,
        welcome: answer,
        onFrame: (next) => {
          receive = next;
        },
      });
    };
    const onFrame: OnFrame = (type, terminal, payload) => receive(type, terminal, payload);
    const decoder = new FrameDecoder(onFrame, { maxBytes: MAX_HOST_FRAME_BYTES + RESTORE_FIELDS_BYTES });
    socket.on('data', (chunk) => {
      try {
        decoder.push(chunk);
      } catch (error) {
        if (!(error instanceof FramingError)) throw error;
        socket.destroy(error);
      }
    });
    socket.on('error', (error) =>
      error instanceof FramingError ? fail(error) : unreachable('cannot be reached', error),
    );
    socket.on('close', () => unreachable('closed the connection'));
    socket.write(hello);
  });
}

function greeting(type: number, payload: Buffer, ours: ProtocolRange): Welcome | Error {
  const json = parseJson(payload);
  const welcome = type === Frame.welcome ? Welcome.safeParse(json) : null;
  if (welcome?.success && commonProtocol(ours, { protocol: welcome.data.protocol }) !== null)
    return welcome.data;
  const refused = type === Frame.refused ? Refused.safeParse(json) : null;
  if (refused?.success && refused.data.reason === 'busy') return new HostBusy(refused.data.instanceId);
  const theirs = AnyHello.safeParse(json);
  const isRefused = refused?.success && refused.data.reason === 'protocol';
  if (theirs.success && (isRefused || commonProtocol(ours, theirs.data) === null))
    return new HostProtocolMismatch(theirs.data, ours);
  return new FramingError('the pty host did not accept the hello');
}
