import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { CLI } from './cli.js';
import { DEADLINE_MS } from './deadline.js';
import { exitOf, type SidecarOptions, sidecarEnvironment } from './mcp.js';
import { eventually } from './processes.js';
import { within } from './service.js';

export interface Message {
  id?: unknown;
  method?: string;
  result?: Record<string, unknown> & { isError?: boolean; content?: { text: string }[] };
  error?: { code: number; message: string };
}

/** A tool server over stdio, at the level of its lines. */
export interface StdioServer {
  child: ChildProcessWithoutNullStreams;
  /** Writes each message as one line. */
  send(...messages: (object | string)[]): void;
  /** Returns all messages on its stdout so far. Throws if a line is not a message of the protocol. */
  messages(): Message[];
  log(): string;
  /** Resolves with the answer to the request of this id. */
  answer(id: number): Promise<Message>;
  /**
   * Resolves with the exit code once the process has ended and all of its output was read; null if a signal ended it.
   */
  ended(): Promise<number | null>;
}

export const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'lines', version: '1' } },
};

export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** Returns a request to call a tool. */
export function toolCall(id: number, name: string, args: object = {}): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

/** Starts a tool server over stdio; it ends after the test. */
export function startStdio(options: SidecarOptions = {}): StdioServer {
  const child = spawn(process.execPath, [CLI, 'mcp', '--stdio'], { env: sidecarEnvironment(options) });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  // A test may let the server end while the test writes.
  child.stdin.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));

  function messages(): Message[] {
    const lines = stdout.split('\n').slice(0, -1);
    return lines.map((line) => {
      const message: Message & { jsonrpc: string } = JSON.parse(line);
      if (message.jsonrpc !== '2.0') throw new Error(`not of the protocol: ${line}`);
      return message;
    });
  }
  const answerTo = (id: number) => messages().find((message) => message.id === id && !message.method);
  return {
    child,
    send: (...sent) => {
      const lines = sent.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
      child.stdin.write(lines.map((line) => `${line}\n`).join(''));
    },
    messages,
    log: () => log,
    answer: async (id) => {
      await eventually(`an answer to ${id}`, () => answerTo(id) !== undefined);
      return answerTo(id)!;
    },
    ended: async () => {
      await within(DEADLINE_MS, closed, () => `the tool server does not end:\n${stdout}\n${log}`);
      return exitOf(child);
    },
  };
}
