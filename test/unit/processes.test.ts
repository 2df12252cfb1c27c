import { expect, test } from 'vitest';
import { LinuxProcesses } from '#dist/actors/processes/linux.js';
import { shared } from '#dist/actors/processes/process-table.js';
import { Processes, type ProcessesOptions } from '#dist/actors/processes/processes.js';
import type { RunningTerminal } from '#dist/actors/terminal-record.js';
import type { AgentState } from '#dist/contract/agent.js';
import { type FakeProcess, fakeProc } from '../support/fake-proc.js';

function terminal(pid: number): RunningTerminal {
  const input = { lastInputSource: null, lastInputAt: null, typedAt: null };
  return { id: `term_${pid}`, pid, shell: '/bin/bash', backend: 'pty', name: 'T', createdAt: 5, ...input };
}

function processesOf(found: FakeProcess[], terminals: RunningTerminal[]) {
  const files = fakeProc(found);
  const table = shared(new LinuxProcesses(files));
  const asked: string[] = [];
  const states: ProcessesOptions['states'] = async (agents) => {
    asked.push(...agents.keys());
    return new Map([...agents].map(([id, agent]) => [id, stateOf(agent)]));
  };
  return {
    files,
    asked,
    processes: new Processes({ table, terminals: () => terminals, agents: () => ({}), states, cores: 2 }),
  };
}

function stateOf(agent: string): AgentState {
  return { agent, agentStatus: 'waiting', agentStatusReason: `as ${agent} does` };
}

test('a list of 30 terminals lists the folder once and reads no more than it needs', async () => {
  const pids = Array.from({ length: 30 }, (_, index) => 100 + index);
  const idle = pids.map((pid) => ({ pid, name: 'bash', session: pid, group: pid, foreground: pid }));
  const others = Array.from({ length: 200 }, (_, index) => ({ pid: 1_000 + index, session: 1_000 }));
  const { files, processes } = processesOf([...idle, ...others], pids.map(terminal));
  const { count } = await processes.list();
  expect(count).toBe(30);
  expect(files.lists()).toBe(1);
  expect(files.reads.filter((path) => path.endsWith('/stat'))).toHaveLength(230);
  expect(files.reads.filter((path) => path.endsWith('/cmdline'))).toEqual(
    pids.map((pid) => `${pid}/cmdline`),
  );
});

test('an agent is found behind the leader of its job, before the launcher that started it', async () => {
  const job = { session: 10, group: 20, foreground: 20 };
  const cmdline = 'npm exec @openai/codex\0';
  const found = [
    { pid: 10, name: 'bash', session: 10, group: 10, foreground: 20 },
    { pid: 20, ...job, name: 'npm exec @opena', cmdline, exe: '/usr/bin/node' },
    { pid: 21, ...job, name: 'sh', cmdline: 'sh\0-c\0codex\0', startedAt: 1, exe: '/usr/bin/dash' },
    { pid: 22, ...job, name: 'codex', startedAt: 2, exe: '/opt/codex' },
  ];
  const list = async (processes: FakeProcess[]) =>
    (await processesOf(processes, [terminal(10)]).processes.list()).processes[0];
  expect(await list(found)).toMatchObject({
    currentApp: { pid: 20, name: 'npm' },
    agent: 'codex',
    agentExe: '/opt/codex',
  });
  expect(await list(found.slice(0, 2))).toMatchObject({ agent: 'codex', agentExe: '/usr/bin/node' });
  expect(await list(found.slice(0, 1))).toMatchObject({ agent: null, agentExe: null });
});

test('only the oldest processes of a large job are looked at', async () => {
  const job = Array.from({ length: 100 }, (_, index) => ({
    pid: 20 + index,
    session: 10,
    group: 20,
    foreground: 20,
    startedAt: index,
  }));
  const { files, processes } = processesOf(
    [{ pid: 10, session: 10, group: 10, foreground: 20 }, ...job],
    [terminal(10)],
  );
  await processes.list();
  expect(files.reads.filter((path) => path.endsWith('/cmdline'))).toHaveLength(16);
});

test('without the executable, hidden by the system, the label stays', async () => {
  const found = [{ pid: 10, name: 'claude', session: 10, group: 10, foreground: 10, exe: null }];
  const [entry] = (await processesOf(found, [terminal(10)]).processes.list()).processes;
  expect(entry).toMatchObject({ agent: 'claude', agentExe: null });
});

test('a shell missing from the table stands for itself', async () => {
  const { processes } = processesOf(
    [],
    [{ ...terminal(10), name: 'mine', lastInputSource: 'user', lastInputAt: 9 }],
  );
  expect(await processes.list()).toEqual({
    processes: [
      {
        id: 'term_10',
        pid: 10,
        shell: '/bin/bash',
        name: 'mine',
        currentApp: { pid: 10, name: 'bash' },
        agent: null,
        agentStatus: null,
        agentStatusReason: null,
        agentExe: null,
        lastInputSource: 'user',
        lastInputAt: 9,
        createdAt: 5,
        isAlive: true,
      },
    ],
    count: 1,
  });
});

test('only agents have their status read', async () => {
  const shell = { pid: 10, name: 'bash', session: 10, group: 10, foreground: 10 };
  const agent = { pid: 20, name: 'codex', session: 20, group: 20, foreground: 20, exe: '/opt/codex' };
  const { asked, processes } = processesOf([shell, agent], [terminal(10), terminal(20)]);
  const list = (await processes.list()).processes;
  expect(asked).toEqual(['term_20']);
  expect(list.map(({ id, agentStatus }) => [id, agentStatus])).toEqual([
    ['term_10', null],
    ['term_20', 'waiting'],
  ]);
  expect(list[1]).toMatchObject(stateOf('codex'));
  expect(await processes.agents()).toEqual(
    new Map([
      ['term_10', null],
      ['term_20', 'codex'],
    ]),
  );
  expect(await processes.agents(new Set(['term_20', 'term_30']))).toEqual(new Map([['term_20', 'codex']]));
});
