import { expect, it } from 'vitest';
import { Attachment } from '../../src/client/attachment.js';
import type { Requests } from '../../src/client/requests.js';
import { Screens } from '../../src/client/screens.js';
import { watchOutput } from '../../src/client/watch.js';

const EVENTS = 5;

/** A service that answers each command, and has sent events of each kind by then. */
function busyService(): Requests {
  const told = (type: string, data: object) =>
    JSON.stringify({ type: 'event', event: { type, terminalId: 'a', data, seq: 1, cols: 9, rows: 9 } });
  const rows = { n: 1, from: null, cols: 9, rows: 9, alt: false, cursor: [0, 0, true], lines: [] };
  const connect = async () => ({
    closeCode: undefined,
    send: () => undefined,
    close: () => undefined,
    messages: (async function* () {
      yield JSON.stringify({ id: 1, success: true, data: {} });
      for (let count = 0; count < EVENTS; count++) {
        yield told('output.data', { content: '\x1bcscreen' });
        yield told('screen.rows', rows);
      }
      await new Promise(() => {});
    })(),
  });
  const pause = async (_ms: number, signal?: AbortSignal) => signal?.throwIfAborted();
  const allowMany = () => undefined;
  return { connect, closed: new AbortController().signal, pause, allowMany } as unknown as Requests;
}

it.each([
  ['output', (requests: Requests, signal: AbortSignal) => watchOutput(requests, { signal })],
  ['screens', (requests: Requests, signal: AbortSignal) => new Screens(requests, [], { signal })],
  [
    'an attachment',
    (requests: Requests, signal: AbortSignal) => new Attachment(requests, 'a', { cols: 9, rows: 9, signal }),
  ],
])('a loop over %s ends at the signal, whatever is unread', async (_what, follow) => {
  const leaving = new AbortController();
  let taken = 0;
  const reading = (async () => {
    for await (const _ of follow(busyService(), leaving.signal)) {
      taken++;
      // Everything has come by the next turn.
      await new Promise((resolve) => setImmediate(resolve));
      leaving.abort();
    }
  })();
  await reading.catch((error: unknown) => expect(error).toBe(leaving.signal.reason));
  expect(taken).toBe(1);
});
