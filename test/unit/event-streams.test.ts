import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { EventSource } from '#dist/gateway/events/event-client.js';
import { EventStreams } from '#dist/gateway/events/event-streams.js';
import type { App } from '#dist/gateway/validation.js';
import { gatewayWith } from '../support/gateway.js';
import { eventually } from '../support/processes.js';

let app: App;
afterEach(() => app.close());

/** Serves streams of a source without events. Returns the number of its listeners, and whether agents are followed. */
async function serve() {
  const follows = { listeners: 0, agents: false, opened: 0 };
  const listen = () => {
    follows.listeners++;
    follows.opened++;
    return () => void follows.listeners--;
  };
  const source: EventSource = {
    ...{ epoch: 'aaaaaaaa', last: 0, onNews: listen, onPassing: listen },
    ...{ at: () => undefined, whyGone: () => undefined },
  };
  app = gatewayWith((routes) => {
    const streams = new EventStreams(routes, {
      ...{ source, instanceId: 'i-1', onSignsFollowed: () => {} },
      onAgentsFollowed: (isFollowed) => {
        follows.agents = isFollowed;
      },
    });
    routes.get('/stream', (request, reply) => streams.open(request, reply, {}));
    routes.get('/left', async (request, reply) => {
      const closed = once(reply.raw, 'close');
      request.raw.socket.destroy();
      await closed;
      streams.open(request, reply, {});
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return follows;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

it('ends the streams that a client has pipelined once it has left', async () => {
  const follows = await serve();
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  client.write(get('/stream').repeat(3));
  await eventually('all are open', () => follows.listeners === 6);
  expect(follows.agents).toBe(true);
  client.destroy();
  await eventually('all have ended', () => follows.listeners === 0);
  expect(follows.agents).toBe(false);
});

it('opens no stream for a client that has left already', async () => {
  const follows = await serve();
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {}).write(get('/left'));
  await once(client, 'close');
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  expect(follows).toMatchObject({ opened: 0, agents: false });
});
