import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import { CLI } from './cli.js';
import { DEADLINE_MS } from './deadline.js';
import { within } from './service.js';

const CLIENT = { name: 'auto-terminal-test', version: '1.0.0' };

/** The tool server alone, over HTTP. */
export interface Sidecar {
  /** Its endpoint, `.../mcp`. */
  url: string;
  /** Origin of the REST API that it calls. */
  apiUrl: string;
  pid: number;
  /** Returns everything that the tool server has logged so far. */
  log(): string;
  /** Sends the signal, and resolves with the exit code once the process has ended; null if the signal ended it. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** Resolves with the exit code once the process has ended by itself. */
  ended(deadlineMs?: number): Promise<number | null>;
  /** Sends SIGTERM, and resolves once the process has ended. Rejects if it does not end in time, or not with 0. */
  stop(): Promise<void>;
}

export interface SidecarOptions {
  /** Origin of the REST API. */
  apiUrl?: string;
  /** Added to the machine's own variables; the tool server's variables come only from here. */
  env?: Record<string, string>;
}

/** Returns the environment of a tool server, without the tool server variables of the tests' own environment. */
export function sidecarEnvironment({ apiUrl, env }: SidecarOptions): NodeJS.ProcessEnv {
  const isOurs = (name: string) => /^(MCP_|AUTO_TERMINAL_|SERVICE_TERMINAL_ID$)/.test(name);
  const others = Object.entries(process.env).filter(([name]) => !isOurs(name));
  const given = { MCP_PORT: '0', ...(apiUrl !== undefined && { AUTO_TERMINAL_API_URL: apiUrl }), ...env };
  return { ...Object.fromEntries(others), ...given };
}

/** Resolves with the exit code once the process has ended; null if a signal ended it. */
export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

/** Starts the tool server alone, by default on a free port. Rejects if it ends before it is ready. */
export async function startSidecar(options: SidecarOptions = {}): Promise<Sidecar> {
  const child = spawn(process.execPath, [CLI, 'mcp'], {
    // The tool server ends with this process, however the test ends.
    env: { MCP_PARENT_PID: `${process.pid}`, ...sidecarEnvironment(options) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = (deadlineMs = DEADLINE_MS) =>
    within(deadlineMs, exitOf(child), () => `the tool server does not end:\n${log}`);
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended();
  };
  const stop = async () => {
    try {
      const code = child.exitCode ?? child.signalCode ?? (await kill('SIGTERM'));
      if (code !== 0 && code !== 'SIGKILL') throw new Error(`the tool server ended with ${code}:\n${log}`);
    } finally {
      child.kill('SIGKILL');
    }
  };
  try {
    const urls = await within(DEADLINE_MS, readyUrls(child), () => 'no ready line in time');
    child.stdout.resume();
    return { ...urls, pid: child.pid!, log: () => log, kill, ended, stop };
  } catch (error) {
    child.kill('SIGKILL');
    await exitOf(child);
    throw new Error(`the tool server did not start; its stderr:\n${log}`, { cause: error });
  }
}

async function readyUrls(child: ChildProcess): Promise<{ url: string; apiUrl: string }> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const [, url, apiUrl] = /^auto-terminal-mcp \S+ ready mcp=(\S+) api=(\S+)$/.exec(line) ?? [];
    if (url !== undefined && apiUrl !== undefined) return { url, apiUrl };
  }
  throw new Error('stdout ended without a ready line');
}

export interface ConnectOptions {
  /** Sent along with every request. */
  headers?: Record<string, string>;
}

/** Resolves with the official SDK's client over streamable HTTP, initialized; it closes after the calling test. */
export async function connect(url: string, { headers = {} }: ConnectOptions = {}): Promise<Client> {
  const client = new Client(CLIENT);
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** The official SDK's client over stdio, initialized, with a tool server of its own. */
export interface StdioConnection {
  client: Client;
  /** Process id of the tool server. */
  pid: number;
  /** Everything the tool server has written to stderr so far. */
  log(): string;
}

/** Starts a tool server for one client over stdio; both end after the calling test. */
export async function connectStdio(options: SidecarOptions = {}): Promise<StdioConnection> {
  const client = new Client(CLIENT);
  onTestFinished(() => client.close());
  const env = { ...getDefaultEnvironment(), ...(sidecarEnvironment(options) as Record<string, string>) };
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [CLI, 'mcp', '--stdio'] },
    ...{ env, stderr: 'pipe' },
  });
  let log = '';
  transport.stderr?.on('data', (bytes: Buffer) => {
    log += bytes.toString();
  });
  await client.connect(transport);
  return { client, pid: transport.pid!, log: () => log };
}

/** A tool's answer, in a form that tests use. */
export interface ToolAnswer<Structured> {
  isError: boolean;
  /** All its texts. */
  text: string;
  /** `structuredContent`, if there is any. */
  structured: Structured;
  content: ContentBlock[];
}

/** Calls a tool. Rejects with the SDK's McpError if the protocol itself refuses. */
export async function call<Structured = Record<string, unknown>>(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  options?: Parameters<Client['callTool']>[2],
): Promise<ToolAnswer<Structured>> {
  const result = (await client.callTool({ name, arguments: args }, undefined, options)) as CallToolResult;
  const { content, isError = false, structuredContent } = result;
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  return { isError, text, structured: structuredContent as Structured, content };
}
