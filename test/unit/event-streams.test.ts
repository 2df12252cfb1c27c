import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { configOf } from '#dist/config/settings.js';
import type { EventSource } from '#dist/gateway/events/event-client.js';
import { EventStreams } from '#dist/gateway/events/event-streams.js';
import { LocalUsers } from '#dist/gateway/local-users/local-users.js';
import { createGateway } from '#dist/gateway/server.js';
import type { App } from '#dist/gateway/validation.js';
import { openAccess } from '../support/open-access.js';
import { eventually } from '../support/processes.js';

const config = configOf({}, { platform: 'linux', cores: 2 });
if (typeof config === 'string') throw new Error(config);

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
  app = createGateway({
    access: openAccess(),
    users: new LocalUsers({ uid: undefined }),
    config: () => config as Exclude<typeof config, string>,
    instanceId: 'i-1',
    logger: pino({ level: 'silent' }),
    registerWebSocket: () => {},
    registerRoutes: (routes) => {
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
    },
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
