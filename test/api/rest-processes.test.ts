import { realpath, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProcessEntry, ProcessList } from '#dist/contract/system.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import { type Api, createApi, type Watcher, watch } from '../support/http.js';
import { eventually, processesBeside } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;
let watcher: Watcher;
let agents: FakeAgents;
let node: string;

beforeAll(async () => {
  agents = await fakeAgents();
  node = await realpath(process.execPath);
  service = await startService({ env: { SHELL: '/bin/bash' } });
  api = createApi(service.url);
  watcher = await watch(service.url, 'events=lifecycle');
});
afterAll(async () => {
  await watcher?.close();
  await service?.stop();
  await agents?.remove();
});

const create = async (body?: unknown) => (await api.post<Terminal>('/api/terminals', body)).body;
const type = (id: string, line: string) => api.post(`/api/terminals/${id}/input`, { data: `${line}\r` });
const list = async () => (await api.get<ProcessList>('/api/processes')).body;
const entryOf = async (id: string) => (await list()).processes.find((entry) => entry.id === id);

/** The terminal's entry once `holds` returns true. */
async function entryWhen(id: string, holds: (entry: ProcessEntry) => boolean): Promise<ProcessEntry> {
  let entry: ProcessEntry | undefined;
  await eventually(`${id} is as expected`, async () => {
    entry = await entryOf(id);
    return entry !== undefined && holds(entry);
  }).catch((cause: unknown) => {
    throw new Error(`the last entry was ${JSON.stringify(entry)}`, { cause });
  });
  return entry!;
}

/**
 * Runs the line in the shell of a new terminal; resolves with its entry once this program is in the foreground, and an
 * agent is recognised if `isAgent`. While the kernel executes a program, the process already has the program's name,
 * but no command line yet.
 */
async function entryRunning(line: string, name: string, isAgent = false): Promise<ProcessEntry> {
  const { id } = await create();
  await type(id, line);
  return entryWhen(id, ({ currentApp, agent }) => currentApp.name === name && (!isAgent || agent !== null));
}

/** Like {@link entryRunning}, for an agent. */
const agentRunning = (line: string, name: string) => entryRunning(line, name, true);

describe('GET /api/processes', () => {
  test('has an entry for each running terminal, with its fields', async () => {
    const terminal = await create({ name: 'mine' });
    // In tmux the process starts as a shell, which then becomes the program.
    const isThere = ({ pid, name }: ProcessEntry['currentApp']) => pid === terminal.pid && name === 'bash';
    const entry = await entryWhen(terminal.id, ({ currentApp }) => isThere(currentApp));
    expect(entry).toEqual({
      id: terminal.id,
      pid: terminal.pid,
      shell: '/bin/bash',
      name: 'mine',
      currentApp: { pid: terminal.pid, name: 'bash' },
      agent: null,
      agentStatus: null,
      agentStatusReason: null,
      agentExe: null,
      lastInputSource: null,
      lastInputAt: null,
      createdAt: terminal.createdAt,
      isAlive: true,
    });
  });

  test('count is their number, and exited terminals are left out', async () => {
    const { id } = await create({ command: ['true'] });
    const { id: stays } = await create();
    const hasExited = () =>
      watcher.frames.some(({ event }) => event?.type === 'terminal.exited' && event.terminalId === id);
    await watcher.until(hasExited);
    const { processes, count } = await list();
    const { body } = await api.get<{ terminals: Terminal[] }>('/api/terminals');
    expect(processes.map((entry) => entry.id)).toEqual(body.terminals.map((terminal) => terminal.id));
    expect(processes.map((entry) => entry.id)).toContain(stays);
    expect(processes.map((entry) => entry.id)).not.toContain(id);
    expect(count).toBe(processes.length);
  });

  test('lastInputSource and lastInputAt show the last input', async () => {
    const { id } = await create();
    const before = Date.now();
    await type(id, 'echo one');
    const first = await entryOf(id);
    expect(first).toMatchObject({ lastInputSource: 'api', lastInputAt: expect.any(Number) });
    expect(first!.lastInputAt).toBeGreaterThanOrEqual(before);
    expect(first!.lastInputAt).toBeLessThanOrEqual(Date.now());
    await watcher.untilOutput(id, 'one\r\n');
    const payload = { action: 'terminal:input', terminalId: id, data: 'echo two\r' };
    watcher.send({ id: 'typed', type: 'command', payload });
    await watcher.until(() => watcher.frames.some((frame) => frame.id === 'typed'));
    const second = await entryOf(id);
    expect(second!.lastInputSource).toBe('api');
    expect(second!.lastInputAt).toBeGreaterThanOrEqual(first!.lastInputAt!);
  });
});

describe('currentApp', () => {
  test('is the foreground process, and the shell again after it', async () => {
    const { id, pid } = await create();
    await type(id, 'sleep 1000');
    const entry = await entryWhen(id, ({ currentApp }) => currentApp.name === 'sleep');
    expect(entry.currentApp.pid).not.toBe(pid);
    expect(processesBeside(pid).map((info) => info.pid)).toContain(entry.currentApp.pid);
    await api.post(`/api/terminals/${id}/input`, { data: '\x03' });
    await entryWhen(id, ({ currentApp }) => currentApp.pid === pid);
  });

  test('is never a background process', async () => {
    const { id, pid } = await create();
    await type(id, 'sleep 1000 & echo started $!');
    await watcher.until(() => /started \d/.test(watcher.output(id)));
    await entryWhen(id, ({ currentApp }) => currentApp.pid === pid && currentApp.name === 'bash');
  });

  test('is a living member of its group if the leader has gone', async () => {
    const { id, pid } = await create();
    await type(id, 'true | sleep 1000');
    const { currentApp } = await entryWhen(id, (entry) => entry.currentApp.name === 'sleep');
    expect(processesBeside(pid).map((info) => info.pid)).toContain(currentApp.pid);
  });

  test('has its whole name, which the kernel cuts', async () => {
    await agents.native('a-name-of-more-than-15-bytes');
    const path = agents.path('a-name-of-more-than-15-bytes');
    await entryRunning(`${path} 1000`, 'a-name-of-more-than-15-bytes');
  });
});

describe('agent and agentExe', () => {
  test('a native agent, by the name of its executable', async () => {
    const path = await agents.native('codex');
    expect(await agentRunning(`${path} 1000`, 'codex')).toMatchObject({ agent: 'codex', agentExe: path });
  });

  test('a native agent that is the program of its terminal', async () => {
    const path = await agents.native('goose');
    const { id, pid } = await create({ command: [path, '1000'] });
    expect(await entryWhen(id, ({ agent }) => agent !== null)).toMatchObject({
      currentApp: { pid, name: 'goose' },
      agent: 'goose',
      agentExe: path,
    });
  });

  test('an agent behind a link', async () => {
    const path = await agents.link('claude');
    const agentExe = await realpath('/bin/sleep');
    expect(await agentRunning(`${path} 1000`, 'claude')).toMatchObject({ agent: 'claude', agentExe });
  });

  test('an agent that Node runs, by its command line', async () => {
    const path = await agents.script('lib/node_modules/@anthropic-ai/claude-code/cli.js');
    const entry = await agentRunning(`${process.execPath} ${path} --resume`, 'node');
    expect(entry).toMatchObject({ agent: 'claude', agentExe: node });
  });

  test('an installed entry point with an interpreter line', async () => {
    const path = await agents.script('bin/gemini');
    const { id } = await create();
    await type(id, path);
    const entry = await entryWhen(id, ({ agent }) => agent !== null);
    expect(entry).toMatchObject({ agent: 'gemini', agentExe: node });
  });

  test('an agent that has changed its title', async () => {
    const path = await agents.script('main.js', "process.title = 'claude';\n");
    expect(await agentRunning(`${process.execPath} ${path}`, 'claude')).toMatchObject({
      agent: 'claude',
      agentExe: node,
    });
  });

  test('an agent that a launcher has started', async () => {
    const child = await agents.native('opencode');
    const code = `require('child_process').spawn('${child}', ['1000'], { stdio: 'inherit' });\n`;
    const path = await agents.script('launcher.js', code);
    const { id } = await create();
    await type(id, `${process.execPath} ${path}`);
    const entry = await entryWhen(id, ({ agent }) => agent !== null);
    expect(entry).toMatchObject({ currentApp: { name: 'node' }, agent: 'opencode', agentExe: child });
  });

  test('a process that only mentions an agent is none', async () => {
    const notes = agents.path('claude.md');
    await writeFile(notes, 'claude\n');
    const server = await agents.script('server.js');
    const own = await agents.script('own/claude.js');
    for (const [line, name] of [
      [`tail -f ${notes}`, 'tail'],
      [`${process.execPath} ${server} --name claude`, 'node'],
      [`${process.execPath} ${own}`, 'node'],
    ] as const) {
      expect(await entryRunning(line, name)).toMatchObject({ agent: null, agentExe: null });
    }
  });

  test('an agent of the configuration, at once', async () => {
    const path = await agents.native('house-agent');
    const entry = await entryRunning(`${path} 1000`, 'house-agent');
    expect(entry.agent).toBeNull();
    await api.patch('/api/settings', { agents: { House: { commands: ['house-agent'] } } });
    expect(await entryOf(entry.id)).toMatchObject({ agent: 'house', agentExe: path });
  });
});
