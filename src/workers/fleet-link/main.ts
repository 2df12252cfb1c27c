// Entry point of the thread that holds the connections to the hub of the fleet, so that a flood from another machine
// delays the gateway by no more than the messages that it has taken.
import { workerData } from 'node:worker_threads';
import { MAX_FLEET_WAITING, MAX_FLEET_WAITING_BYTES } from '../../contract/limits.js';
import { CallEnd, serve } from '../link.js';
import { Connections } from './connections.js';
import type { FleetLinkOptions, FromFleetLink, ToFleetLink } from './protocol.js';

const { port, ...options } = workerData as FleetLinkOptions;
/** Requests, and bytes of other messages, that the main thread has not handled yet. */
const waiting = { requests: 0, bytes: 0 };

function post(message: FromFleetLink, transfer: Parameters<typeof port.postMessage>[1] = []): void {
  port.postMessage(message, transfer);
}

const connections = new Connections({
  ...options,
  onState: (state, reason, connection) =>
    post({
      ...{ type: 'state', state },
      ...(reason !== undefined && { reason }),
      ...(connection !== undefined && { connection }),
    }),
  onMessage: (subject, data, replyTo) => {
    // Dropping is safe: a dropped request is not confirmed, and the hash of an answer shows that a part is missing.
    const isRequest = subject.startsWith('at1.q.');
    if (isRequest ? waiting.requests >= MAX_FLEET_WAITING : waiting.bytes >= MAX_FLEET_WAITING_BYTES) return;
    if (isRequest) waiting.requests++;
    else waiting.bytes += data.length;
    const own = Uint8Array.from(data);
    post({ type: 'message', subject, ...(replyTo !== undefined && { replyTo }), data: own }, [own.buffer]);
  },
});
const calls = new CallEnd((reply, transfer) => port.postMessage({ type: 'reply', reply }, transfer));
/** Sends messages for which no caller waits: a failure is reported, and the connections live on. */
function publish({ subject, messages, isBulk }: Extract<ToFleetLink, { type: 'publish' }>): void {
  try {
    connections.publish(subject, messages, isBulk);
  } catch (error) {
    post({ type: 'fault', reason: `${subject}: ${error instanceof Error ? error.message : String(error)}` });
  }
}

async function request(asked: Extract<ToFleetLink, { type: 'request' }>) {
  const { id, subject, data, timeoutMs, inbox } = asked;
  const replied = await connections.request(subject, data, timeoutMs, inbox);
  post({ type: 'replied', id, replied });
}

port.on('message', (message: ToFleetLink) => {
  if (message.type === 'taken') {
    waiting.requests -= message.requests;
    waiting.bytes -= message.bytes;
  } else if (message.type === 'request') void request(message);
  else if (message.type === 'publish') publish(message);
  else if (message.type === 'send') connections.send(message.subject, message.data);
  else calls.take(message.call);
});
serve(connections, calls);
await connections.open();
