import { expect, it } from 'vitest';
import type { Requests } from '../../src/client/requests.js';
import { Screens, type ScreenView } from '../../src/client/screens.js';

interface Sent {
  id: number;
  payload: { action: string; views: ScreenView[] };
}

/**
 * Connections to a service that answers the first command of each. At the first connection's second command, the
 * connection ends without an answer.
 */
function breakingService() {
  const sent: Sent[][] = [];
  const connect = async () => {
    const commands: Sent[] = [];
    const isFirst = sent.push(commands) === 1;
    const messages: string[] = [];
    let isOver = false;
    let wake = () => {};
    const socket = {
      closeCode: undefined,
      send: (text: string) => {
        const command = JSON.parse(text) as Sent;
        commands.push(command);
        if (commands.length === 1) messages.push(JSON.stringify({ id: command.id, success: true, data: {} }));
        else if (isFirst) isOver = true;
        wake();
      },
      close: () => {
        isOver = true;
        wake();
      },
      messages: (async function* () {
        for (;;) {
          while (messages.length === 0 && !isOver) {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
          const message = messages.shift();
          if (message === undefined) return;
          yield message;
        }
      })(),
    };
    return socket;
  };
  const pause = async (_ms: number, signal?: AbortSignal) => signal?.throwIfAborted();
  const requests = { connect, closed: new AbortController().signal, pause, allowMany: () => undefined };
  return { sent, requests: requests as unknown as Requests };
}

it('screens that are chosen while the connection ends are watched by the next one, without an error', async () => {
  const { sent, requests } = breakingService();
  const leaving = new AbortController();
  let opened = () => {};
  const untilOpen = () =>
    new Promise<void>((resolve) => {
      opened = resolve;
    });
  const first = untilOpen();
  const screens = new Screens(requests, [{ terminalId: 'one' }], {
    signal: leaving.signal,
    onOpen: () => opened(),
  });
  const reading = (async () => {
    for await (const _ of screens);
  })();
  reading.catch(() => undefined);
  await first;
  const second = untilOpen();
  expect(await screens.watch([{ terminalId: 'other' }])).toEqual([]);
  await second;
  expect(sent.map((commands) => commands.map(({ payload }) => payload.views))).toEqual([
    [[{ terminalId: 'one' }], [{ terminalId: 'other' }]],
    [[{ terminalId: 'other' }]],
  ]);
  leaving.abort();
  await expect(reading).rejects.toThrow();
});

it('an error of the caller is thrown to the caller, also after the connection was lost', async () => {
  const { sent, requests } = breakingService();
  const leaving = new AbortController();
  let opened = 0;
  const screens: Screens = new Screens(requests, [], {
    signal: leaving.signal,
    onOpen: () => {
      if (++opened === 2) throw new RangeError('of the caller');
      if (opened > 2) leaving.abort();
      void screens.watch([]);
    },
  });
  const reading = (async () => {
    for await (const _ of screens);
  })();
  await expect(reading).rejects.toThrow(RangeError);
  expect(sent).toHaveLength(2);
});
