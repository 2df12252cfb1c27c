import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { TerminalView } from '#dist/contract/terminal-view.js';
import { CLAUDE, drawnAgent } from '../support/drawn-agents.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import type { Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
let agents: FakeAgents;
let folder: string;

beforeAll(async () => {
  agents = await fakeAgents();
  folder = await realpath(await mkdtemp(join(tmpdir(), 'list-')));
});
afterAll(async () => {
  await agents?.remove();
  if (folder) await rm(folder, { recursive: true });
});

interface Page {
  terminals: TerminalView[];
  next: string | null;
}

const create = async (body?: unknown) => (await used.api.post<Terminal>('/api/terminals', body)).body;
const full = async (query: string) => (await used.api.get<Page>(`/api/terminals?view=full&${query}`)).body;

/** The only terminal of the list, once it is as expected. */
async function viewWhen(query: string, holds: (view: TerminalView) => boolean): Promise<TerminalView> {
  let view: TerminalView | undefined;
  await eventually(`${query} is as expected`, async () => {
    view = (await full(query)).terminals[0];
    return view !== undefined && holds(view);
  }).catch((cause: unknown) => {
    throw new Error(`the last view was ${JSON.stringify(view)}`, { cause });
  });
  return view!;
}

describe('GET /api/terminals?view=full', () => {
  test('shows what runs in a shell and where, its size, who typed, and the last command with its exit code', async () => {
    const made = await create({ cols: 91, rows: 17, cwd: folder, labels: { case: 'shell' } });
    const query = 'selector=case=shell';
    const idle = await viewWhen(
      query,
      ({ atPrompt, currentApp }) => atPrompt === true && currentApp?.pid === made.pid,
    );
    expect(idle).toMatchObject({
      ...{ id: made.id, status: 'running', cols: 91, rows: 17, cwd: folder, integration: 'bash' },
      ...{
        command: null,
        agent: null,
        agentStatus: null,
        lastInputSource: null,
        lastInputAt: null,
        clients: 0,
      },
      currentApp: { pid: made.pid, name: 'bash' },
    });
    await mkdir(join(folder, 'inner'));
    await used.api.post(`/api/terminals/${made.id}/input`, { data: 'cd inner; (exit 3)\r' });
    const failed = await viewWhen(query, ({ command }) => command !== null && command.exitCode !== null);
    expect(failed).toMatchObject({
      command: { commandLine: 'cd inner; (exit 3)', exitCode: 3 },
      cwd: join(folder, 'inner'),
      lastInputSource: 'api',
    });
    expect(failed.lastInputAt).toBeGreaterThanOrEqual(made.createdAt);
    await used.api.post(`/api/terminals/${made.id}/input`, { data: 'cat\r' });
    // The process shows at once; its command shows once the shell's mark has been parsed.
    const busy = await viewWhen(
      query,
      ({ currentApp, atPrompt }) => currentApp?.name === 'cat' && atPrompt === false,
    );
    expect(busy).toMatchObject({
      atPrompt: false,
      command: { commandLine: 'cat', endedAt: null, exitCode: null },
    });
    await rm(join(folder, 'inner'), { recursive: true });
    expect(await viewWhen(query, ({ cwd }) => cwd === null)).toMatchObject({ currentApp: { name: 'cat' } });
  });

  test('shows agents with their status, and lists by it', async () => {
    const path = await agents.script('bin/claude', drawnAgent(CLAUDE));
    const labels = { case: 'agents' };
    const [asks] = await Promise.all([
      create({ command: [path], labels }),
      create({ command: [path], labels }),
      create({ labels }),
    ]);
    const query = 'selector=case=agents';
    await eventually('both agents are idle', async () => {
      const { terminals } = await full(query);
      return terminals.filter(({ agentStatus }) => agentStatus === 'idle').length === 2;
    });
    await used.api.post(`/api/terminals/${asks.id}/input`, { data: 'p' });
    const asking = await viewWhen(`${query}&agentStatus=waiting`, () => true);
    expect(asking).toMatchObject({
      ...{ id: asks.id, agent: 'claude', agentStatusReason: 'a dialog is open' },
      ...{ integration: 'none', atPrompt: null },
    });
    const idle = await full(`${query}&agentStatus=idle&limit=1`);
    expect(idle).toMatchObject({ terminals: [{ agent: 'claude', agentStatus: 'idle' }], next: null });
  });

  test('shows how an exited terminal ended, and nothing that runs', async () => {
    await create({ command: ['sh', '-c', 'exit 4'], labels: { case: 'ended' } });
    const query = 'status=all&selector=case=ended';
    const view = await viewWhen(query, ({ status }) => status === 'exited');
    expect(view).toMatchObject({ exitCode: 4, currentApp: null, cwd: null, agent: null, command: null });
    expect((await full('selector=case=ended')).terminals).toEqual([]);
  });
});

describe('pages of GET /api/terminals', () => {
  test.each(['full', 'plain'])('go through all terminals, oldest first, with view=%s', async (view) => {
    const labels = { case: `pages-${view}` };
    const made: string[] = [];
    for (let index = 0; index < 5; index++) made.push((await create({ command: ['cat'], labels })).id);
    const shown: string[] = [];
    let after = '';
    for (;;) {
      const query = `view=${view}&selector=case=pages-${view}&limit=2${after}`;
      const { body } = await used.api.get<Page>(`/api/terminals?${query}`);
      shown.push(...body.terminals.map(({ id }) => id));
      if (body.next === null) break;
      expect(body.terminals).toHaveLength(2);
      after = `&after=${body.next}`;
    }
    expect(shown).toEqual(made);
  });

  test.each([
    ['after=nothing', 'invalid-cursor'],
    ['limit=0', 'invalid-request'],
    ['agentStatus=waiting', 'invalid-request'],
    ['view=half', 'invalid-request'],
  ])('%s is refused', async (query, code) => {
    const { status, body } = await used.api.get<Failure & { code: string }>(`/api/terminals?${query}`);
    expect([status, body.code]).toEqual([400, code]);
  });
});
