import { ANSWER, type StreamedHead } from '../../fleet/streams/answer-wire.js';
import type { ServedStream, StreamSource } from '../../fleet/streams/served-stream.js';
import type { FleetRequests } from '../fleet-requests.js';

const EMPTY = new Uint8Array(0);
const ignore = () => undefined;

/** Begins to send the answer to a GET of this service to another machine. */
export function answerSource(
  requests: Pick<FleetRequests, 'stream'>,
  machineId: string,
  url: string,
  stream: ServedStream,
  onFault: (error: unknown) => void,
): StreamSource {
  const left = new AbortController();
  let waiting = 0;
  /** Bytes of the answer that may wait for the other machine, those on their way included. */
  const most = () => 2 * stream.windowBytes;
  let isBlocked = false;
  /** Pieces that come before the head is known. */
  let early: (() => void)[] | undefined = [];
  const inOrder = (send: () => void) => {
    if (early) early.push(send);
    else send();
  };
  const sink = {
    write: (bytes: Uint8Array, done: () => void) => {
      waiting += bytes.length;
      const taken = () => {
        waiting -= bytes.length;
        done();
        if (!isBlocked || waiting > most() / 2) return;
        isBlocked = false;
        sink.onDrain();
      };
      inOrder(() => stream.send(ANSWER.body, bytes, taken));
      isBlocked ||= waiting > most();
      return !isBlocked;
    },
    onDrain: ignore as () => void,
  };
  const serve = async () => {
    const { status, headers, ended } = await requests.stream(machineId, url, sink, left.signal);
    const head: StreamedHead = { status, headers };
    stream.send(ANSWER.head, Buffer.from(JSON.stringify(head)), ignore);
    const held = early ?? [];
    early = undefined;
    for (const send of held) send();
    const isWhole = await ended;
    stream.send(isWhole ? ANSWER.end : ANSWER.broken, EMPTY, () => stream.close());
  };
  serve().catch((error: unknown) => {
    if (!left.signal.aborted) onFault(error);
    stream.end({ code: 'internal', error: 'The answer could not be given' });
  });
  return { onWish: ignore, close: () => left.abort() };
}
