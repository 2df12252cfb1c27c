import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { WebSocket } from 'ws';

/** Another address of this machine; without a network, a loopback address that only an exposed service listens on. */
export const OTHER_ADDRESS =
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.2';

/** The same origin at {@link OTHER_ADDRESS}. */
export const elsewhere = (url: string) => url.replace('127.0.0.1', OTHER_ADDRESS);

/** Resolves with the answer's status and text; the status is undefined if nothing listens. */
export async function ask(url: string, path: string, token?: string, init: RequestInit = {}) {
  const headers = { ...init.headers, ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`${url}${path}`, { ...init, headers }).catch(() => undefined);
  return { status: answer?.status, text: await answer?.text() };
}

/** Resolves with the result of an upgrade: `open`, or the status of the refusal. */
export async function upgrade(url: string): Promise<'open' | number> {
  const socket = new WebSocket(url.replace('http', 'ws'));
  const refused = once(socket, 'unexpected-response').then(([, response]) => response.statusCode as number);
  const opened = once(socket, 'open').then(() => 'open' as const);
  const outcome = await Promise.race([opened, refused]);
  socket.on('error', () => {}).terminate();
  return outcome;
}

/** Sends a PATCH of the settings. */
export const patch = (url: string, change: unknown, token?: string) =>
  ask(url, '/api/settings', token, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
