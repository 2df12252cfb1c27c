// A server as a user would write it: node-pty, a headless xterm and ws in one process. It parses every byte at once,
// and makes JSON for each client. It uses the service's messages, so that the same client works with both.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import serialize from '@xterm/addon-serialize';
import xterm, { type ITerminalAddon } from '@xterm/headless';
import { type IPty, spawn } from 'node-pty';
import { type WebSocket, WebSocketServer } from 'ws';
import { answerCalls } from '../support/peer-calls.js';

interface Terminal {
  id: string;
  status: 'running' | 'exited';
  pty: IPty;
  serializer: serialize.SerializeAddon;
}

/** Water marks from xterm's guide to flow control: reading pauses above this. xterm throws when 50 MB wait. */
const HIGH_WATER_CHARS = 500_000;
/** Reading resumes below this. */
const LOW_WATER_CHARS = 100_000;

const terminals = new Map<string, Terminal>();
const clients = new Set<WebSocket>();
let created = 0;

function create({ command, cols = 80, rows = 24 }: { command: string[]; cols?: number; rows?: number }) {
  const [file = 'sh', ...args] = command;
  const pty = spawn(file, args, { cols, rows });
  const screen = new xterm.Terminal({ cols, rows, scrollback: 1000, allowProposedApi: true });
  const id = `term_${++created}`;
  const serializer = new serialize.SerializeAddon();
  // The addon is typed for the terminal in browsers.
  screen.loadAddon(serializer as unknown as ITerminalAddon);
  const terminal: Terminal = { id, status: 'running', pty, serializer };
  terminals.set(id, terminal);
  let waiting = 0;
  let isPaused = false;
  pty.onData((content) => {
    waiting += content.length;
    if (!isPaused && waiting > HIGH_WATER_CHARS) {
      isPaused = true;
      pty.pause();
    }
    screen.write(content, () => {
      waiting -= content.length;
      if (isPaused && waiting < LOW_WATER_CHARS) {
        isPaused = false;
        pty.resume();
      }
    });
    publish({ type: 'output.data', terminalId: id, data: { content } });
  });
  pty.onExit(({ exitCode }) => {
    // The screen is complete once all output is parsed.
    screen.write('', () => {
      terminal.status = 'exited';
      const exited = { exitCode, signal: null, exitedAt: Date.now() };
      publish({ type: 'terminal.exited', terminalId: id, data: exited });
    });
  });
  return { id };
}

function publish(event: object): void {
  for (const client of clients)
    client.send(JSON.stringify({ type: 'event', event, timestamp: new Date().toISOString() }));
}

async function answer(request: IncomingMessage): Promise<object | undefined> {
  const [, , , id = '', part] = (request.url ?? '').split('/');
  if (request.method === 'POST') {
    let body = '';
    for await (const chunk of request) body += chunk;
    return create(JSON.parse(body));
  }
  const terminal = terminals.get(id);
  if (!terminal) return undefined;
  if (request.method === 'DELETE') {
    if (terminal.status === 'running') terminal.pty.kill();
    terminals.delete(id);
  }
  if (part === 'snapshot') return { snapshot: terminal.serializer.serialize({ scrollback: 0 }) };
  return { id, status: terminal.status };
}

const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  answer(request).then(
    (body) => {
      response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? { error: 'Terminal not found' }));
    },
    (error: Error) => {
      response.writeHead(500).end(JSON.stringify({ error: error.message }));
    },
  );
});

new WebSocketServer({ server }).on('connection', (client) => {
  clients.add(client);
  client.send(JSON.stringify({ id: 'welcome', success: true, data: { version: '0', mode: 'naive' } }));
  client.on('message', (message) => {
    const { id, type, payload } = JSON.parse(String(message));
    if (type === 'command' && payload?.action === 'terminal:input')
      terminals.get(payload.terminalId)?.pty.write(payload.data);
    client.send(JSON.stringify({ id, success: true }));
  });
  client.on('close', () => clients.delete(client));
});

const calls = {
  /** Listens on a free port, and resolves with it. */
  listen: (): Promise<number> =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    }),
};

export type NaiveCalls = typeof calls;
answerCalls(calls);
