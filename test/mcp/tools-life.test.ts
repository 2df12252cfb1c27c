import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Connection } from '#dist/contract/canvas.js';
import type { LayoutTree } from '#dist/contract/layout.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { Limited } from '../support/limits.js';
import { createdBy, NO_TERMINAL, NOT_FOUND, UNKNOWN, useTools } from '../support/mcp-tools.js';
import { openTerminal } from '../support/runs.js';
import { answering } from '../support/scripted-server.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
/** Origin of an API other than the service's. */
let apiUrl: string | undefined;
const tools = useTools(() => ({ apiUrl: apiUrl ?? used.service.url }));
const { call, failure } = tools;

type Created = Terminal & { parentTerminalId: string | null };
type Detail = Terminal & { size: { cols: number; rows: number } | null };
const create = async (args: object = {}, caller?: string) => call<Created>('create_terminal', args, caller);
const get = async (id: string) => (await used.api.get<Terminal>(`/api/terminals/${id}`)).body;

async function connectionsTo(id: string): Promise<Pick<Connection, 'from' | 'origin'>[]> {
  const { body } = await used.api.get<{ incoming: Connection[] }>(`/api/terminals/${id}/connections`);
  return body.incoming.map(({ from, origin }) => ({ from, origin }));
}

describe('create_terminal', () => {
  it('with no arguments creates a fresh tab with the default profile, 120 by 40', async () => {
    const { structured, text } = await create();
    const { parentTerminalId, ...terminal } = structured;
    expect([parentTerminalId, terminal]).toEqual([null, await get(terminal.id)]);
    expect(terminal).toMatchObject({
      profile: 'bash',
      name: 'Terminal-bash',
      status: 'running',
      mode: 'mcp',
    });
    expect((await used.api.get(`/api/terminals/${terminal.id}/size`)).body).toEqual({ cols: 120, rows: 40 });
    for (const value of [terminal.id, terminal.tabId, 'execute_command']) expect(text).toContain(value);
    expect((await create()).structured.tabId).not.toBe(terminal.tabId);
  });

  it('takes name, profile, cols, rows and cwd', async () => {
    const cwd = join(used.service.home, 'a folder');
    await mkdir(cwd);
    const { structured } = await create({ name: 'N "1"', profile: 'sh', cols: 33, rows: 7, cwd });
    expect(structured).toMatchObject({ name: 'N "1"', profile: 'sh' });
    const { id } = structured;
    expect((await used.api.get(`/api/terminals/${id}/size`)).body).toEqual({ cols: 33, rows: 7 });
    const run = { command: 'pwd', terminalId: id, wait: true };
    const { structured: ran } = await call<{ results: { raw: string }[] }>('execute_command', run);
    expect(ran.results[0]?.raw.trim()).toBe(cwd);
  });

  it.each(['horizontal', 'vertical'] as const)(
    'with tabId, paneId and direction splits a pane: %s',
    async (direction) => {
      const { id, tabId } = (await create()).structured;
      const tabOf = async () =>
        (await used.api.get<LayoutTree>('/api/layout')).body.tabs.find((tab) => tab.id === tabId)!;
      const paneId = (await tabOf()).activePaneId;
      const { structured } = await create({ tabId, paneId, direction });
      expect(structured.tabId).toBe(tabId);
      const leaves = [id, structured.id].map((terminalId) =>
        expect.objectContaining({ type: 'leaf', terminalId }),
      );
      expect((await tabOf()).root).toMatchObject({ type: 'split', direction, children: leaves });
    },
  );

  it('an unknown pane, a missing program, a cwd that is no folder: an error, and nothing is started', async () => {
    const listed = async () =>
      (await used.api.get<{ terminals: [] }>('/api/terminals')).body.terminals.length;
    const before = await listed();
    expect(await failure('create_terminal', { paneId: 'nope', direction: 'vertical' })).toMatch(
      /^Pane not found\. .*get_terminal_detail/,
    );
    expect(await failure('create_terminal', { cwd: '/no/such' })).toMatch(
      /^cwd is not a folder: \/no\/such\. .*omit cwd/,
    );
    const { body } = await used.api.post<{ id: string }>('/api/profiles', {
      name: 'gone',
      path: '/no/shell',
    });
    expect(await failure('create_terminal', { profile: body.id })).toMatch(
      /^shell not found: \/no\/shell\. .*omit profile to use the default shell\.$/,
    );
    expect(await listed()).toBe(before);
  });
});

describe('create_terminal, connectToCaller', () => {
  it('a caller that runs in a terminal is connected, unless connectToCaller is false', async () => {
    const caller = await createdBy(tools);
    for (const args of [{}, { connectToCaller: true }]) {
      const { structured } = await create(args, caller);
      expect(structured.parentTerminalId).toBe(caller);
      expect(await connectionsTo(structured.id)).toEqual([{ from: caller, origin: 'agent' }]);
    }
    const { structured } = await create({ connectToCaller: false }, caller);
    expect([structured.parentTerminalId, await connectionsTo(structured.id)]).toEqual([null, []]);
  });

  it('true without a caller: a clear error; false without one is fine', async () => {
    expect(await failure('create_terminal', { connectToCaller: true })).toContain(NO_TERMINAL);
    expect((await create({ connectToCaller: false })).structured.parentTerminalId).toBeNull();
  });

  it('from a terminal that is gone: fails only if connectToCaller is true', async () => {
    const { structured } = await create({}, UNKNOWN);
    expect([structured.status, structured.parentTerminalId]).toEqual(['running', null]);
    expect(await failure('create_terminal', { connectToCaller: true }, UNKNOWN)).toBe(NOT_FOUND);
    expect(await failure('create_terminal', { cwd: '/no/such' }, UNKNOWN)).toContain('cwd is not a folder');
  });

  it('a request that may have been processed is sent again under its key alone, never without the caller', async () => {
    const breaking = await answering(({ request }) => request.socket.destroy());
    apiUrl = breaking.url;
    try {
      expect(await failure('create_terminal', {}, UNKNOWN)).toMatch(
        /was lost: .* It is unknown whether the call took effect; check with list_terminals/,
      );
    } finally {
      apiUrl = undefined;
    }
    const { requests } = breaking;
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect([new Set(keys).size, keys[0]]).toEqual([1, expect.any(String)]);
    for (const { body } of requests) expect(JSON.parse(body)).toMatchObject({ parentTerminalId: UNKNOWN });
  });
});

describe('get_terminal_detail and get_my_terminal', () => {
  it('full detail of one terminal, including tabId, and its size', async () => {
    const id = await createdBy(tools, { cols: 50, rows: 9 });
    const expected = { ...(await get(id)), size: { cols: 50, rows: 9 } };
    const { structured, text } = await call<Detail>('get_terminal_detail', { terminalId: id });
    expect(structured).toEqual(expected);
    for (const [name, value] of Object.entries(expected)) {
      expect(text.split('\n')).toContain(`${name}: ${JSON.stringify(value)}`);
    }
    expect((await call('get_terminal_detail', { terminalId: 'me' }, id)).structured).toEqual(expected);
    expect((await call('get_my_terminal', {}, id)).structured).toEqual(expected);
  });

  it('of an exited terminal: its exit, and no size', async () => {
    const id = await openTerminal(used.api, ['sh', '-c', 'exit 7']);
    await used.api.post(`/api/terminals/${id}/wait`, { until: 'exit' });
    const { structured } = await call<Detail>('get_terminal_detail', { terminalId: id });
    expect(structured).toMatchObject({ status: 'exited', exitCode: 7, signal: null, size: null });
  });

  it('an unknown terminal, an invalid id, and a caller without a terminal have different errors', async () => {
    for (const terminalId of [UNKNOWN, '', '..', 'batch', '\ud800', `${UNKNOWN}/size`]) {
      expect(await failure('get_terminal_detail', { terminalId })).toBe(NOT_FOUND);
    }
    expect(await failure('get_my_terminal', {}, UNKNOWN)).toBe(NOT_FOUND);
    expect(await failure('get_my_terminal')).toContain(NO_TERMINAL);
    expect(await failure('get_terminal_detail', { terminalId: 'me' })).toContain(NO_TERMINAL);
  });
});

describe('close_terminal', () => {
  it("closes the terminal; me closes the caller's own; then it is not found", async () => {
    const [one, mine] = [await createdBy(tools), await createdBy(tools)];
    for (const [terminalId, id] of [
      [one, one],
      ['me', mine],
    ]) {
      const { structured, text } = await call('close_terminal', { terminalId }, mine);
      expect([structured, text]).toEqual([{ terminalId: id, status: 'ok' }, `Closed ${id}.`]);
      expect(await failure('close_terminal', { terminalId }, mine)).toBe(NOT_FOUND);
    }
    const { structured } = await call<{ terminals: { id: string }[] }>('list_terminals');
    expect(structured.terminals.map(({ id }) => id)).not.toContain(one);
  });

  it('no id closes another resource, or me without a terminal', async () => {
    const id = await createdBy(tools);
    for (const terminalId of ['', '.', '..', `../terminals/${id}`, `${id}/`, `${id}?`]) {
      expect(await failure('close_terminal', { terminalId })).toBe(NOT_FOUND);
    }
    expect(await failure('close_terminal', { terminalId: 'me' })).toContain(NO_TERMINAL);
    expect((await get(id)).status).toBe('running');
  });
});

describe('at a limit of the service', () => {
  const limits = (maxTerminals: number | null) =>
    used.api.patch('/api/settings', { limits: { maxTerminals } });

  it('a call says what is in the way, when to try again and what else to do, or waits in line', async () => {
    await limits(0);
    const text = await failure('create_terminal');
    for (const said of [
      'of at most 0 terminals run or start',
      'close_terminal',
      'queueMs',
      'try again in 5 s',
    ])
      expect(text).toContain(said);
    expect(await failure('execute_command', { command: 'true', machineId: 'self' })).toContain(
      'of at most 0 terminals',
    );
    expect(await failure('create_terminal', { queueMs: 10 })).toContain('of at most 0 terminals');
    const limited = new Limited(used.api);
    const waits = create({ name: 'in line', queueMs: 60_000 });
    expect(await limited.waiting(1)).toMatchObject([{ name: 'in line', mode: 'mcp' }]);
    await limits(null);
    expect((await waits).structured).toMatchObject({ name: 'in line', status: 'running' });
  });
});
