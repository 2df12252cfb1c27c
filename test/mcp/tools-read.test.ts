import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { FleetTerminal } from '#dist/contract/fleet.js';
import { createdBy, NO_TERMINAL, UNKNOWN, useTools } from '../support/mcp-tools.js';
import { eventually } from '../support/processes.js';
import { openTerminal } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
const tools = useTools(() => ({ apiUrl: used.service.url }));
const { call, failure } = tools;

const OS = process.platform === 'darwin' ? 'macos' : 'linux';

interface Page {
  terminalId: string;
  raw: string;
  totalLines: number;
  offset: number;
  cursor: string;
  gap?: boolean;
}
const read = (args: object, caller?: string) => call<Page>('get_terminal_output', args, caller);

/** A terminal that has printed these lines, and prints typed lines. */
async function printed(lines: string): Promise<string> {
  const id = await openTerminal(used.api, ['sh', '-c', `${lines}; stty -echo; echo ready; exec cat`]);
  await eventually('it is ready', async () =>
    (await read({ terminalId: id, lines: 1 })).structured.raw.endsWith('ready'),
  );
  return id;
}

/** Types a line into a terminal of {@link printed}, and waits until it has printed it. */
async function print(id: string, line: string): Promise<void> {
  await used.api.post(`/api/terminals/${id}/input`, { data: `${line}\r` });
  await eventually(`it prints ${line}`, async () =>
    (await read({ terminalId: id, lines: 1 })).structured.raw.endsWith(line),
  );
}

describe('list_terminals', () => {
  it('entries {id, title, running, machineId, os, deviceName}; an empty list says what to do', async () => {
    const { structured: none, text } = await call<{ terminals: FleetTerminal[] }>('list_terminals');
    expect(none.terminals).toEqual([]);
    expect(text).toContain('create_terminal');
    const id = await createdBy(tools, { name: 'build "x"' });
    const told = { running: true, machineId: 'self', os: OS, deviceName: hostname() };
    const { structured, text: listed } = await call('list_terminals');
    expect(structured).toEqual({ terminals: [{ id, title: 'build "x"', ...told }] });
    expect(listed).toBe(`${id}  "build \\"x\\""  running  on ${hostname()} (${OS})`);
    await call('close_terminal', { terminalId: id });
  });
});

describe('list_machines', () => {
  it('always includes self', async () => {
    const self = { machineId: 'self', deviceName: hostname(), os: OS, online: true, self: true };
    const { structured, text } = await call('list_machines');
    expect(structured).toEqual({ machines: [self] });
    expect(text).toBe(`self  "${hostname()}"  ${OS}  online  (this machine)`);
  });
});

describe('get_terminal_output', () => {
  it('lines default 50; offset 0 gives the last N lines, larger offsets page back', async () => {
    const id = await printed('seq 1 130');
    const all = [...Array.from({ length: 130 }, (_, index) => `${index + 1}`), 'ready'];
    const { body } = await used.api.get<Page>(`/api/terminals/${id}/output?lines=1000`);
    expect(body.raw.split('\n')).toEqual(all);
    expect((await read({ terminalId: id })).structured.raw.split('\n')).toEqual(all.slice(-50));
    for (const lines of [0, 1, 7, 50, 131, 1_000])
      for (const offset of [0, 1, 50, 124, 130, 131, 132, 5_000, Number.MAX_SAFE_INTEGER]) {
        const end = Math.max(0, all.length - offset);
        const expected = all.slice(Math.max(0, end - lines), end).join('\n');
        const { structured } = await read({ terminalId: id, lines, offset });
        const page = { terminalId: id, raw: expected, totalLines: 131, offset, cursor: expect.any(String) };
        expect(structured, `${lines} lines, offset ${offset}`).toEqual(page);
      }
  });

  it('pages put together are the whole, each line once', async () => {
    const id = await printed('seq 1 95');
    const pages: string[] = [];
    for (let offset = 0; ; offset += 10) {
      const { raw } = (await read({ terminalId: id, lines: 10, offset })).structured;
      if (raw === '') break;
      pages.unshift(raw);
    }
    const { body } = await used.api.get<Page>(`/api/terminals/${id}/output?lines=1000`);
    expect(pages.join('\n')).toBe(body.raw);
    expect(pages).toHaveLength(10);
  });

  it('its text is the lines, and their place in the whole, with the cursor', async () => {
    const id = await printed('printf "one\\n\\ntwo\\n"');
    const { text, structured } = await read({ terminalId: id });
    const cursor = `cursor ${JSON.stringify(structured.cursor)}`;
    expect(text).toBe(`one\ntwo\nready\n[lines 1 to 3 of 3; ${cursor}]`);
    expect((await read({ terminalId: id, lines: 1, offset: 1 })).text).toBe(
      `two\n[lines 2 to 2 of 3; ${cursor}]`,
    );
    expect((await read({ terminalId: id, offset: 9 })).text).toBe(`[no lines of 3; ${cursor}]`);
  });

  it('since: only text printed after the cursor, all of it unless lines limits it', async () => {
    const id = await printed('true');
    const { cursor } = (await read({ terminalId: id, lines: 0 })).structured;
    const since = (args: object = {}) => read({ terminalId: id, since: cursor, ...args });
    expect((await since()).structured).toMatchObject({ raw: '', totalLines: 0, gap: false });
    expect((await since()).text).toMatch(/^\[no lines of 0 new lines; cursor "[^"]+"\]$/);
    for (const line of ['one', 'two', 'three']) await print(id, line);
    const { structured, text } = await since();
    expect(structured).toMatchObject({ raw: 'one\ntwo\nthree\n', totalLines: 3, offset: 0, gap: false });
    expect(text).toContain('one\ntwo\nthree\n[lines 1 to 3 of 3 new lines; cursor ');
    expect((await since({ lines: 2 })).structured).toMatchObject({ raw: 'two\nthree\n', totalLines: 3 });
    expect((await since({ lines: 1, offset: 1 })).structured).toMatchObject({ raw: 'two\n', offset: 1 });
    await print(id, 'four');
    const next = await read({ terminalId: id, since: structured.cursor });
    expect(next.structured).toMatchObject({ raw: 'four\n', totalLines: 1 });
  });

  it('since a cursor older than the history: gap, and the text says so', async () => {
    const id = await openTerminal(used.api, ['sh', '-c', 'read x; seq 1 90000; exec cat']);
    const { cursor } = (await read({ terminalId: id, lines: 0 })).structured;
    await used.api.post(`/api/terminals/${id}/input`, { data: '\r' });
    const since = () => read({ terminalId: id, since: cursor, lines: 2 });
    await eventually('all is printed', async () => (await since()).structured.raw.endsWith('90000\n'));
    const { structured, text } = await since();
    expect(structured).toMatchObject({ gap: true, raw: '89999\n90000\n' });
    expect(text).toContain('new lines; older lines were lost; cursor');
  });

  it('of a terminal that has exited, while it is kept', async () => {
    const id = await openTerminal(used.api, ['sh', '-c', 'echo bye']);
    await used.api.post(`/api/terminals/${id}/wait`, { until: 'exit' });
    expect((await read({ terminalId: id })).structured.raw).toBe('bye');
  });

  it('me is the caller; unknown terminals and cursors are errors that say what to do', async () => {
    const id = await printed('echo mine');
    expect((await read({ terminalId: 'me' }, id)).structured).toMatchObject({ terminalId: id });
    expect(await failure('get_terminal_output', { terminalId: 'me' })).toContain(NO_TERMINAL);
    for (const terminalId of [UNKNOWN, '..', '']) {
      expect(await read({ terminalId })).toEqual({
        structured: { terminalId, raw: '', totalLines: 0, offset: 0 },
        text: expect.stringContaining('list_terminals'),
      });
    }
    expect(await failure('get_terminal_output', { terminalId: id, since: 'nonsense' })).toMatch(
      /^Invalid cursor\. Send a cursor from an earlier answer/,
    );
  });
});
