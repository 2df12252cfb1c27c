import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Number of the request, from 1. */
  turn: number;
  /** Makes the server refuse further connections. */
  stop(): void;
}

export interface ScriptedServer {
  url: string;
  /** The requests that have arrived, each with its body. */
  requests: { method: string | undefined; headers: IncomingMessage['headers']; body: string }[];
}

/** Starts a server that calls the script for each complete request; the server ends with the test. */
export async function answering(script: (exchange: Exchange) => void): Promise<ScriptedServer> {
  const requests: ScriptedServer['requests'] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const text of request.setEncoding('utf8')) body += text;
    const { method, headers } = request;
    const turn = requests.push({ method, headers, body });
    script({ request, response, turn, stop: () => void server.close() });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${port}`, requests };
}
