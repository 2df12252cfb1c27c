import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { askingAgent, DANGEROUS, HARMLESS } from '../support/asking-agent.js';
import { CLAUDE, drawnAgent } from '../support/drawn-agents.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import { exitOf } from '../support/mcp.js';
import { eventually, processInfo } from '../support/processes.js';
import { within } from '../support/service.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const EXAMPLES = fileURLToPath(new URL('../../docs/examples/', import.meta.url));
const TASK = "Mend the build, please; don't ask";
const AGENTS = 10;
const DEADLINE_MS = 100_000;
/** An agent that works forever. */
const AT_WORK = { drawings: { i: CLAUDE.drawings.w! } };

let agents: FakeAgents;
let notes: string;
let bystander: string;
beforeEach(async () => {
  agents = await fakeAgents();
  notes = await mkdtemp(join(tmpdir(), 'at-notes-'));
  bystander = (await used.api.post<Terminal>('/api/terminals', { labels: { job: 'another' } })).body.id;
});
afterEach(async () => {
  await used.api.delete(`/api/terminals/${bystander}`);
  await agents.remove();
  await rm(notes, { recursive: true });
});

/** Starts an example with only the environment that a reader would have. */
function start(
  [program, file]: readonly [string, string],
  agent: string,
): { child: ChildProcess; all(): string } {
  const env = { PATH: process.env.PATH, HOME: used.service.home, AUTO_TERMINAL_API_URL: used.service.url };
  const child = spawn(program, [join(EXAMPLES, file), `${agent} "${TASK}"`], { env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  return { child, all: () => printed };
}

async function leftTerminals(): Promise<string[]> {
  const { body } = await used.api.get<{ terminals: Terminal[] }>('/api/terminals?status=all');
  return body.terminals.map(({ id }) => id);
}

describe.each([
  ['node', 'orchestrator.mjs'],
  ['python3', 'orchestrator.py'],
] as const)('the orchestrator of docs/examples in %s', (...example) => {
  test('has 60 commands right, answers ten agents, each once, and leaves nothing behind', async () => {
    const claude = await agents.script('bin/claude', askingAgent(notes));
    const { child, all } = start(example, claude);
    const code = await within(DEADLINE_MS, exitOf(child), () => `it does not end:\n${all()}`);
    expect(code, all()).toBe(0);
    expect(all()).toContain('60 of 60 terminals created\nuname -sr: 60 of 60 right, such as Linux');
    expect(all()).toContain(`${AGENTS} agents started`);
    expect(all().match(/^agent \d+ asks:$/gm)).toHaveLength(AGENTS);
    expect(all().match(new RegExp(`^  \\| +${HARMLESS}$`, 'gm'))).toHaveLength(AGENTS - 1);
    expect(all()).toMatch(new RegExp(`  \\| +${DANGEROUS}\n.*?answered by escape`, 's'));
    expect(all().match(/is done \(idle\)/g)).toHaveLength(AGENTS / 2);
    expect(all().match(/is done \(exited\)/g)).toHaveLength(AGENTS / 2);
    expect(all()).toMatch(/all 10 agents are done, 10 questions answered\n60 terminals closed\n$/);
    for (let number = 1; number <= AGENTS; number++) {
      const [pid, ...typed] = (await readFile(join(notes, String(number)), 'utf8')).trim().split('\n');
      const answer = JSON.stringify(number === 1 ? '\x1b' : '\r');
      expect(typed).toEqual([`task ${TASK}`, `answer ${answer}`]);
      await eventually('the agent has ended', () => processInfo(Number(pid?.slice(4))) === undefined);
    }
    expect(await leftTerminals()).toEqual([bystander]);
  });

  test('closes all of its terminals when it is interrupted', async () => {
    const { child, all } = start(example, await agents.script('bin/claude', drawnAgent(AT_WORK)));
    await eventually('the agents are started', () => all().includes('agents started'), DEADLINE_MS);
    child.kill('SIGINT');
    const code = await within(DEADLINE_MS, exitOf(child), () => `it does not end:\n${all()}`);
    // The signal itself ends Python, without an exit code.
    expect(code ?? child.signalCode, all()).toBe(example[0] === 'node' ? 130 : 'SIGINT');
    expect(all()).toMatch(/10 agents started\n60 terminals closed\n/);
    expect(await leftTerminals()).toEqual([bystander]);
  });
});
