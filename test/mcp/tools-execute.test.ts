import { describe, expect, it } from 'vitest';
import { createdBy, NO_TERMINAL, NOT_FOUND, UNKNOWN, useTools } from '../support/mcp-tools.js';
import { eventually } from '../support/processes.js';
import { openTerminal } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
const tools = useTools(() => ({ apiUrl: used.service.url }));
const { call, failure } = tools;

interface Typed {
  results: { terminalId: string; success: boolean; error?: string }[];
  summary?: { total: number; succeeded: number; failed: number };
}
const execute = (args: object, caller?: string) => call<Typed>('execute_command', args, caller);

async function untilPrinted(terminalId: string, text: string): Promise<string> {
  let raw = '';
  await eventually(`${terminalId} prints ${text}`, async () => {
    raw = (await call<{ raw: string }>('get_terminal_output', { terminalId })).structured.raw;
    return raw.includes(text);
  });
  return raw;
}

/** A program that shows each byte it reads: \x1b as ^[ and CR as ^M. */
const SHOW_KEYS = ['sh', '-c', 'stty raw -echo; printf "ready\\r\\n"; exec cat -v'];

describe('execute_command, local', () => {
  it('into a terminal whose program has ended fails with how it ended', async () => {
    const id = await openTerminal(used.api, ['sh', '-c', 'read line; exit 7']);
    await execute({ command: 'go', terminalId: id, useBracketedPaste: false });
    await eventually('it has exited', async () => {
      const { body } = await used.api.get<{ status: string }>(`/api/terminals/${id}`);
      return body.status === 'exited';
    });
    for (const wait of [false, true]) {
      expect(await failure('execute_command', { command: 'true', terminalId: id, wait })).toMatch(
        /ended with exit code 7.*get_terminal_output.*create_terminal/,
      );
    }
  });

  it('presses Ctrl+C as its description says, which interrupts a command', async () => {
    const id = await createdBy(tools);
    // One process: bash loses a Ctrl+C that comes while it starts the next command of a list.
    const command = `sh -c 'echo be""gun; exec sleep 600'`;
    await execute({ command, terminalId: id, cliType: 'default' });
    await untilPrinted(id, '\nbegun');
    const key = { command: '\x03', terminalId: id, cliType: 'default' };
    await execute({ ...key, useBracketedPaste: false });
    const { structured } = await execute({ command: 'echo free', terminalId: id, wait: true });
    expect(structured.results).toMatchObject([{ success: true, exitCode: 0, raw: 'free\n' }]);
    expect(await failure('execute_command', { ...key, wait: true })).toContain('omit wait');
    expect(await failure('execute_command', { command: '\x03', machineId: 'self' })).toContain('terminalId');
  });

  it('takes null for an argument that is not given', async () => {
    const id = await createdBy(tools);
    const absent = { wait: null, cliType: null, useBracketedPaste: null, targetOS: null, timeoutMs: null };
    const { structured } = await execute({ command: 'true', terminalId: id, ...absent });
    expect(structured.results).toEqual([{ terminalId: id, success: true }]);
    expect(await failure('execute_command', { command: null, terminalId: id })).toContain('command');
  });

  it('is asynchronous, and returns immediately; the result is read with get_terminal_output', async () => {
    const id = await createdBy(tools);
    const { structured, text } = await execute({
      ...{ command: 'echo "sum $((40 + 2))"; sleep 600', terminalId: id, cliType: 'default' },
    });
    expect(structured).toEqual({ results: [{ terminalId: id, success: true }] });
    expect(text).toContain(`${id}  typed`);
    expect(text).toContain('get_terminal_output');
    await untilPrinted(id, '\nsum 42');
  });

  it('cliType determines the submit keys; agent_a is the default', async () => {
    for (const [args, keys] of [
      [{}, '^M'],
      [{ cliType: 'agent_a' }, '^M'],
      [{ cliType: 'agent_b' }, '^[^M'],
      [{ cliType: 'agent_c' }, '^M'],
      [{ cliType: 'agent_d' }, '^M'],
      [{ cliType: 'default' }, '^M'],
    ] as const) {
      const id = await openTerminal(used.api, SHOW_KEYS);
      await untilPrinted(id, 'ready');
      await execute({ command: 'a\nb', terminalId: id, ...args });
      await untilPrinted(id, `^[[200~a^Mb^[[201~${keys}`);
    }
  });

  it('useBracketedPaste false types it bare', async () => {
    const id = await openTerminal(used.api, SHOW_KEYS);
    await untilPrinted(id, 'ready');
    await execute({ command: 'ab', terminalId: id, cliType: 'default', useBracketedPaste: false });
    expect(await untilPrinted(id, 'ab^M')).not.toContain('200~');
  });

  it("me is the caller's terminal; the input is marked as the tool server's", async () => {
    const id = await createdBy(tools);
    const { structured } = await execute(
      { command: 'echo "$((1 + 1)) me"', terminalId: 'me', cliType: 'default' },
      id,
    );
    expect(structured.results).toEqual([{ terminalId: id, success: true }]);
    await untilPrinted(id, '\n2 me');
    const { body } = await used.api.get<{ processes: { id: string; lastInputSource: string }[] }>(
      '/api/processes',
    );
    expect(body.processes.find((each) => each.id === id)?.lastInputSource).toBe('mcp');
  });

  it('an unknown terminal, no me, no target: errors that say what to do', async () => {
    for (const terminalId of [UNKNOWN, '', '..', 'batch']) {
      expect(await failure('execute_command', { command: 'true', terminalId })).toBe(NOT_FOUND);
    }
    for (const terminalId of ['me', [UNKNOWN, 'me']]) {
      expect(await failure('execute_command', { command: 'true', terminalId })).toContain(NO_TERMINAL);
    }
    const text = await failure('execute_command', { command: 'true' });
    for (const word of ['terminalId', 'list_terminals', 'create_terminal', 'machineId "self"']) {
      expect(text).toContain(word);
    }
  });
});

describe('execute_command, an array of ids', () => {
  it('fans out as a batch: each once, me among them; an unknown one delays no other', async () => {
    const [one, two, mine] = [await createdBy(tools), await createdBy(tools), await createdBy(tools)];
    const terminalId = [one, UNKNOWN, 'me', two, one, mine];
    const command =
      'echo x >> ~/typed-$SERVICE_TERMINAL_ID; echo "lines $(wc -l < ~/typed-$SERVICE_TERMINAL_ID)"';
    const { structured, text } = await execute({ command, terminalId, cliType: 'default' }, mine);
    expect(structured).toEqual({
      results: [
        { terminalId: one, success: true },
        expect.objectContaining({ terminalId: UNKNOWN, success: false, error: 'Terminal not found' }),
        { terminalId: mine, success: true },
        { terminalId: two, success: true },
      ],
      summary: { total: 4, succeeded: 3, failed: 1 },
    });
    expect(text.split('\n')).toEqual([
      `${one}  typed`,
      `${UNKNOWN}  failed: ${NOT_FOUND}`,
      `${mine}  typed`,
      `${two}  typed`,
      '[typed into 3 of 4. Read the result with get_terminal_output.]',
    ]);
    for (const id of [one, two, mine]) await untilPrinted(id, '\nlines 1');
  });

  it('of one id is a batch, too: an unknown one is a failed result', async () => {
    const { structured } = await execute({ command: 'true', terminalId: [UNKNOWN] });
    expect(structured.summary).toEqual({ total: 1, succeeded: 0, failed: 1 });
  });
});
