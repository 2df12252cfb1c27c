import { connect, type Socket } from 'node:net';
import {
  AnyHello,
  Frame,
  type Hello,
  HOST_PROTOCOL_VERSION,
  Refused,
  Welcome,
} from '../../../contract/host-protocol.js';
import { CALL_DEADLINE_MS, MAX_HOST_FRAME_BYTES } from '../../../contract/limits.js';
import { HostBusy, HostProtocolMismatch, HostUnreachable } from '../client/host-errors.js';
import { encodeJson, FrameDecoder, FramingError, type OnFrame, parseJson } from './framing.js';

/** Covers the longer fields of a `restore`: the longest checkpoint that a host takes must fit when it comes back. */
const RESTORE_FIELDS_BYTES = 32;

export interface Greeted {
  socket: Socket;
  hostPid: number;
  /** Sets the receiver of all further frames. Set it at once: an earlier frame would be taken for a greeting. */
  onFrame(receive: OnFrame): void;
}

/**
 * Connects and says hello. Rejects with {@link HostUnreachable}, {@link HostBusy}, {@link HostProtocolMismatch}, or
 * FramingError for an answer that is no greeting; then the socket is closed.
 */
export function greetHost(path: string, hello: Omit<Hello, 'protocol'>): Promise<Greeted> {
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
      const answer = greeting(type, payload);
      if (answer instanceof Error) return fail(answer);
      clearTimeout(deadline);
      resolve({
        socket,
        hostPid: answer.pid,
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
    socket.write(encodeJson(Frame.hello, 0, { ...hello, protocol: HOST_PROTOCOL_VERSION }));
  });
}

function greeting(type: number, payload: Buffer): { pid: number } | Error {
  const json = parseJson(payload);
  const welcome = type === Frame.welcome ? Welcome.safeParse(json) : null;
  if (welcome?.success) return welcome.data;
  const refused = type === Frame.refused ? Refused.safeParse(json) : null;
  if (refused?.success && refused.data.reason === 'busy') return new HostBusy(refused.data.instanceId);
  const theirs = AnyHello.safeParse(json);
  if (theirs.success && theirs.data.protocol !== HOST_PROTOCOL_VERSION) {
    return new HostProtocolMismatch(theirs.data.protocol, HOST_PROTOCOL_VERSION);
  }
  return new FramingError('the pty host did not accept the hello');
}
