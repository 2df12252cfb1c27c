import { expect, it } from 'vitest';
import { errorOf } from '#dist/client/index.js';
import type { ToolContext } from '#mcp/tool.js';
import { toolOf } from '../support/mcp-tools.js';

const ID = 'term_000000000000';
const WAY = { holder: { kind: 'mcp', name: 'worker 7', verified: false }, draft: false, retryAfterMs: 500 };

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

const machine = (machineId: string) => ({
  ...{ machineId, deviceName: machineId, os: 'linux', online: true, self: machineId === 'self' },
});

/** A call from a machine that has the terminals `own`, while another machine, which is `there`, has all others. */
function contextWith(there: object, { own = [] as string[], here = {} } = {}): ToolContext {
  const listed: string[] = [];
  const service = {
    select: () => here,
    fleet: { machines: async () => ['self', 'm_000000000000'].map(machine) },
    terminals: { list: async () => own.map((id) => ({ id })) },
    fleetAdmin: {
      find: async (id: string) => {
        listed.push(id);
        return { id, machineId: own.includes(id) ? 'self' : 'm_000000000000' };
      },
    },
    machine: () => there,
  };
  return { service, signal: new AbortController().signal, listed } as unknown as ToolContext;
}

async function called(args: object, context: ToolContext) {
  const { structuredContent } = await toolOf('execute_command').call({ terminalId: [ID], ...args }, context);
  return structuredContent as ReturnType<typeof whole> | undefined;
}

it('a refusal by another machine says who is in the way, as one by this machine does', async () => {
  const refusal = { status: 423, code: 'locked', message: 'busy', details: { error: 'busy', ...WAY } };
  const prompt = async () => {
    throw errorOf(refusal);
  };
  const own = 'term_own';
  const here = { prompt: async () => whole([{ terminalId: own, success: true }]) };
  const context = contextWith({ select: () => ({ prompt }) }, { own: [own], here });
  const answer = await called({ command: 'x', terminalId: [ID, own] }, context);
  expect(answer).toMatchObject({
    results: [
      { terminalId: ID, success: false, code: 'locked', ...WAY },
      { terminalId: own, success: true },
    ],
    summary: { total: 2, succeeded: 1, failed: 1 },
  });
});

it('a command that fails on another machine has its result, as one on this machine does', async () => {
  const asked: unknown[] = [];
  const there = {
    select: (ids: string[]) => ({
      run: async (_command: string, { maxBytes }: { maxBytes: number }) => {
        asked.push([ids.length, maxBytes]);
        return whole(ids.map((terminalId) => ({ ...REFUSED, terminalId })));
      },
    }),
  };
  const alone = await called({ command: ')', wait: true }, contextWith(there));
  expect(alone?.results).toMatchObject([{ error: REFUSED.error, raw: 'syntax error', exitCode: 2 }]);
  // A run of another machine cannot be looked up here by its id.
  expect(alone).not.toHaveProperty('runId');
  const own = ['term_own'];
  const here = { run: async () => whole(own.map((terminalId) => ({ ...REFUSED, terminalId }))) };
  const terminalId = Array.from({ length: 16 }, (_, index) => `${ID.slice(0, -2)}${10 + index}`);
  const context = contextWith(there, { own, here });
  await called({ command: ')', wait: true, terminalId: [...own, ...terminalId] }, context);
  // The terminals of all machines share the bound on the whole answer.
  expect(asked).toEqual([
    [1, 256 * 1_024],
    [16, Math.floor(1_024 ** 2 / 17)],
  ]);
});

it('a command runs on all machines at the same time', async () => {
  const begun: string[] = [];
  let release = () => {};
  const bothBegun = new Promise<void>((resolve) => (release = resolve));
  const machine = (name: string) => ({
    select: (ids: string[]) => ({
      run: async () => {
        begun.push(name);
        if (begun.length === 2) release();
        await bothBegun;
        return whole(ids.map((terminalId) => ({ ...REFUSED, terminalId })));
      },
    }),
  });
  const own = ['term_own'];
  const here = machine('here').select(own);
  const context = contextWith(machine('there'), { own, here });
  const answer = await called({ command: 'x', wait: true, terminalId: [ID, ...own] }, context);
  expect(begun.sort()).toEqual(['here', 'there']);
  expect(answer?.results.map((each) => (each as { terminalId: string }).terminalId)).toEqual([ID, ...own]);
});

it('of many terminals only the ones that this machine does not list are looked for', async () => {
  const own = Array.from({ length: 200 }, (_, index) => `term_own${index}`);
  const prompt = (ids: string[]) => async () =>
    whole(ids.map((terminalId) => ({ terminalId, success: true })));
  const there = { select: (ids: string[]) => ({ prompt: prompt(ids) }) };
  const context = contextWith(there, { own, here: { prompt: prompt(own) } });
  const answer = await called({ command: 'x', terminalId: [...own, ID] }, context);
  expect((context as unknown as { listed: string[] }).listed).toEqual([ID]);
  expect(answer?.summary).toMatchObject({ total: 201, succeeded: 201 });
});
