import { describe, expect, it } from 'vitest';
import type { AutoTerminal } from '#dist/client/index.js';
import { ToolError } from '#mcp/errors.js';
import { TOOLS } from '#mcp/tools/all.js';
import { compiled, toolOf } from '../support/mcp-tools.js';

const MAX_DESCRIPTION_CHARS = 900;

const NAMES = [
  'list_terminals',
  'create_terminal',
  'execute_command',
  'get_terminal_output',
  'get_terminal_detail',
  'get_my_terminal',
  'close_terminal',
  'list_machines',
  'get_terminal_screen',
];

interface ObjectSchema {
  properties: Record<string, { description?: string; enum?: string[]; default?: unknown }>;
  required?: string[];
  additionalProperties?: boolean;
}
const inputOf = (name: string) => toolOf(name).listing.inputSchema as unknown as ObjectSchema;

/** Resolves with the error message of a call that must fail before it sends anything to the API. */
async function refused(name: string, args: unknown): Promise<string> {
  const { signal } = new AbortController();
  const call = toolOf(name).call(args, { service: {} as AutoTerminal, signal, caller: undefined });
  return call.then(
    () => expect.unreachable('the call was not refused'),
    (error: unknown) => (error instanceof ToolError ? error.message : expect.unreachable(String(error))),
  );
}

it('Tool server: the tools, in their documented order', () => {
  expect(TOOLS.map(({ listing }) => listing.name)).toEqual(NAMES);
});

describe.each(TOOLS.map(({ listing }) => [listing.name, listing] as const))('%s', (_name, listing) => {
  it('has a title, and a short, useful description', () => {
    expect(listing.title).toMatch(/\w/);
    expect(listing.description?.length).toBeGreaterThan(200);
    expect(listing.description?.length).toBeLessThan(MAX_DESCRIPTION_CHARS);
  });

  it('names no tool that does not exist', () => {
    const named = listing.description?.match(/\b[a-z]+(_[a-z]+)+\b/g) ?? [];
    expect(named.filter((name) => !NAMES.includes(name))).toEqual([]);
  });

  it('has schemas in one piece that compile strictly', () => {
    for (const schema of [listing.inputSchema, listing.outputSchema ?? {}]) {
      expect(JSON.stringify(schema)).not.toContain('$ref');
      compiled(schema);
    }
  });

  it('describes each input, and accepts no other', () => {
    const { properties, additionalProperties } = listing.inputSchema as unknown as ObjectSchema;
    const undescribed = Object.entries(properties).filter(([, { description }]) => !description);
    expect(undescribed.map(([name]) => name)).toEqual([]);
    expect(additionalProperties).toBe(false);
  });
});

describe('annotations', () => {
  const annotated = (holds: (hints: NonNullable<(typeof TOOLS)[0]['listing']['annotations']>) => unknown) =>
    TOOLS.filter(({ listing }) => holds(listing.annotations ?? {})).map(({ listing }) => listing.name);

  it('only tools that change nothing are read-only', () => {
    expect(annotated(({ readOnlyHint }) => readOnlyHint === false)).toEqual([
      'create_terminal',
      'execute_command',
      'close_terminal',
    ]);
    expect(annotated(({ readOnlyHint }) => readOnlyHint)).toHaveLength(6);
  });

  it('a command may destroy and reach anything; a close destroys, once', () => {
    expect(annotated(({ destructiveHint }) => destructiveHint)).toEqual([
      'execute_command',
      'close_terminal',
    ]);
    expect(annotated(({ openWorldHint }) => openWorldHint)).toEqual(['execute_command']);
    expect(annotated(({ idempotentHint }) => idempotentHint)).toEqual(['close_terminal']);
  });
});

describe('the inputs of the tools', () => {
  it.each([
    ['list_terminals', [], []],
    [
      'create_terminal',
      [
        'name',
        'profile',
        'cols',
        'rows',
        'cwd',
        'tabId',
        'paneId',
        'direction',
        'queueMs',
        'limits',
        'connectToCaller',
      ],
      [],
    ],
    [
      'execute_command',
      [
        ...['command', 'terminalId', 'wait', 'cliType', 'useBracketedPaste'],
        ...['targetOS', 'machineId', 'timeoutMs'],
        ...['whenBusy', 'queueMs', 'ifAgent', 'lease'],
      ],
      ['command'],
    ],
    ['get_terminal_output', ['terminalId', 'lines', 'offset', 'since'], ['terminalId']],
    ['get_terminal_detail', ['terminalId'], ['terminalId']],
    ['get_my_terminal', [], []],
    ['close_terminal', ['terminalId'], ['terminalId']],
    ['list_machines', [], []],
    ['get_terminal_screen', ['terminalId', 'machineId', 'format'], ['terminalId']],
  ])('%s takes %j, and needs %j', (name, names, required) => {
    const { properties, ...schema } = inputOf(name);
    expect([Object.keys(properties), schema.required ?? []]).toEqual([names, required]);
  });

  it('have their defaults and enumerations', () => {
    const { cols, rows } = inputOf('create_terminal').properties;
    expect([cols?.default, rows?.default]).toEqual([120, 40]);
    const { cliType, targetOS, wait } = inputOf('execute_command').properties;
    expect(cliType?.enum?.toSorted()).toEqual(['agent_a', 'agent_b', 'agent_c', 'agent_d', 'default']);
    expect(cliType?.default).toBe('agent_a');
    expect(targetOS?.enum).toEqual(['windows', 'macos', 'linux']);
    expect(wait?.default).toBe(false);
  });
});

describe('wrong arguments are named', () => {
  it.each([
    ['list_terminals', { all: true }, 'list_terminals: Unrecognized key: "all"'],
    ['execute_command', {}, 'command: '],
    ['execute_command', { command: '' }, 'command: '],
    ['execute_command', { command: 'x', cliType: 'custom' }, 'cliType: '],
    ['execute_command', { command: 'x', terminalId: 5 }, 'terminalId: must be an id, or an array of ids'],
    ['execute_command', { command: 'x', terminalId: [] }, 'terminalId: '],
    ['execute_command', { command: 'x', targetOS: 'beos' }, 'targetOS: '],
    ['execute_command', { command: 'x', timeoutMs: '5' }, 'timeoutMs: '],
    ['create_terminal', { cols: 0 }, 'cols: '],
    ['create_terminal', { rows: 1.5 }, 'rows: '],
    ['create_terminal', { direction: 'diagonal' }, 'direction: '],
    ['get_terminal_output', { terminalId: 'me', lines: -1 }, 'lines: '],
    ['get_terminal_output', { terminalId: 'me', offset: 0.5 }, 'offset: '],
    ['get_terminal_output', { terminalId: 'me', lines: 1e9 }, 'lines: '],
    ['get_terminal_detail', {}, 'terminalId: '],
    ['get_terminal_screen', { terminalId: 'me', format: 'gif' }, 'format: '],
  ])('%s %j', async (name, args, beginning) => {
    expect(await refused(name, args)).toContain(`Wrong arguments: ${beginning}`);
  });
});
