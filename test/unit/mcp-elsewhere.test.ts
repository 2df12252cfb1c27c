import { expect, it } from 'vitest';
import { errorOf } from '#dist/client/index.js';
import type { ToolContext } from '#mcp/tool.js';
import { toolOf } from '../support/mcp-tools.js';

const ID = 'term_000000000000';
const WAY = { holder: { kind: 'mcp', name: 'worker 7', verified: false }, draft: false, retryAfterMs: 500 };
const MISSING = { terminalId: ID, success: false, error: 'Terminal not found', code: 'terminal-not-found' };

/** A run's result that failed, with what was printed. */
const REFUSED = {
  ...{ terminalId: ID, success: false, done: true, exitCode: 2, reason: undefined, durationMs: null },
  ...{ raw: 'syntax error', truncated: false, integration: 'bash', waitedBy: 'integration' },
  ...{ error: 'The shell did not run the command', code: 'command-refused' },
};

const whole = (results: object[]) => ({
  results,
  runId: 'run_000000000000',
  summary: { total: 1, succeeded: 0, failed: 1, done: 0, zero: 0, nonZero: 0 },
});

/** A call for whose terminal this machine answers that it is missing, and another machine as `there` says. */
function contextWith(here: object, there: object): ToolContext {
  const service = {
    select: () => here,
    fleetAdmin: { find: async () => ({ id: ID, machineId: 'm_000000000000' }) },
    machine: () => there,
  };
  return { service, signal: new AbortController().signal, caller: undefined } as unknown as ToolContext;
}

async function results(args: object, context: ToolContext): Promise<unknown> {
  const { structuredContent } = await toolOf('execute_command').call({ terminalId: [ID], ...args }, context);
  return structuredContent?.results;
}

it('a refusal by another machine says who is in the way, as one by this machine does', async () => {
  const refusal = { status: 423, code: 'locked', message: 'busy', details: { error: 'busy', ...WAY } };
  const prompt = async () => {
    throw errorOf(refusal);
  };
  const here = { prompt: async () => whole([MISSING]) };
  const context = contextWith(here, { terminals: { get: () => ({ id: ID, prompt }) } });
  expect(await results({ command: 'x' }, context)).toMatchObject([{ code: 'locked', ...WAY }]);
});

it('a command that fails on another machine has its result, as one on this machine does', async () => {
  const { raw: _raw, ...rest } = { ...REFUSED, ...MISSING };
  const here = { run: async () => whole([{ ...rest, raw: '' }]) };
  const asked: unknown[] = [];
  const run = async (_command: string, { maxBytes }: { maxBytes: number }) => {
    asked.push(maxBytes);
    return whole([REFUSED]);
  };
  const there = { select: () => ({ run }) };
  const context = contextWith(here, there);
  expect(await results({ command: ')', wait: true }, context)).toMatchObject([
    { error: REFUSED.error, raw: 'syntax error', exitCode: 2 },
  ]);
  const terminalId = Array.from({ length: 16 }, (_, index) => `${ID.slice(0, -2)}${10 + index}`);
  await results({ command: ')', wait: true, terminalId: [ID, ...terminalId] }, context);
  // The terminals of other machines share the bound on the whole answer.
  expect(asked).toEqual([256 * 1_024, Math.floor(1_024 ** 2 / 17)]);
});
