// A tool call whose connection to the service breaks is carried out once.
import { expect, it } from 'vitest';
import { createdBy, useTools } from '../support/mcp-tools.js';
import { closeAfterEach, cuttingProxy } from '../support/sdk.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
/** Origin of the proxy to the service; undefined without a proxy. */
let apiUrl: string | undefined;
const tools = useTools(() => ({ apiUrl: apiUrl ?? used.service.url }));
const { call, failure } = tools;
closeAfterEach();

/** Works through a proxy that breaks off the first answers; resolves with the number of broken answers. */
async function overBroken(cuts: number, work: () => Promise<unknown>): Promise<number> {
  const proxy = await cuttingProxy(used.service.url, cuts);
  apiUrl = proxy.url;
  try {
    await work();
  } finally {
    apiUrl = undefined;
  }
  return proxy.cut();
}

const terminals = async () =>
  (await call<{ terminals: object[] }>('list_terminals')).structured.terminals.length;

it('create_terminal makes one terminal', async () => {
  const before = await terminals();
  expect(await overBroken(2, () => createdBy(tools))).toBe(2);
  expect(await terminals()).toBe(before + 1);
});

it.each([
  { wait: true },
  { wait: false, cliType: 'default' },
  { wait: true, isArray: true },
  { wait: false, cliType: 'default', isArray: true },
])('execute_command types once: %j', async ({ isArray = false, ...args }) => {
  const id = await createdBy(tools);
  const terminalId = isArray ? [id] : id;
  const command = 'echo ran >> ran-$SERVICE_TERMINAL_ID';
  expect(await overBroken(2, () => call('execute_command', { terminalId, command, ...args }))).toBe(2);
  const cat = 'cat ran-$SERVICE_TERMINAL_ID';
  const { structured } = await call('execute_command', { terminalId: id, command: cat, wait: true });
  expect(structured).toMatchObject({ results: [{ raw: 'ran\n' }] });
});

it('on a machine, too', async () => {
  const args = { machineId: 'self', command: `echo ran >> ${used.service.home}/ran-machine` };
  expect(await overBroken(2, () => call('execute_command', args))).toBe(2);
  const cat = { machineId: 'self', command: `cat ${used.service.home}/ran-machine` };
  const { structured } = await call<{ results: { screen: string }[] }>('execute_command', cat);
  expect(structured.results[0]?.screen.match(/^ran$/gm)).toHaveLength(1);
});

it('gives up after three tries, and says that nobody knows', async () => {
  const before = await terminals();
  const cut = await overBroken(9, async () => {
    expect(await failure('create_terminal')).toMatch(
      /was lost: .* It is unknown whether the call took effect/,
    );
  });
  expect(cut).toBe(3);
  expect(await terminals()).toBe(before + 1);
});

it('close_terminal, which has no key, is not repeated', async () => {
  const id = await createdBy(tools);
  const cut = await overBroken(9, async () => {
    expect(await failure('close_terminal', { terminalId: id })).toContain('It is unknown whether');
  });
  expect(cut).toBe(1);
});
