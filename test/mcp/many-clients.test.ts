import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, it } from 'vitest';
import { call, connect, startSidecar } from '../support/mcp.js';
import { openFiles, residentBytes } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const CLIENTS = 25;
const CALLS = 20;
const ROUNDS = 10;
const MiB = 1024 * 1024;

const used = useService();

interface Page {
  raw: string;
  terminalId: string;
}

/** Makes one client's calls on a terminal of its own, which the calls create and close. */
async function work(url: string, number: number, round: number): Promise<void> {
  const client = await connect(url);
  const { structured: made } = await call<{ id: string; name: string }>(client, 'create_terminal', {
    ...{ name: `client ${number} of round ${round}`, profile: 'sh' },
  });
  expect(made.name).toBe(`client ${number} of round ${round}`);
  const mine = { terminalId: made.id };
  for (let index = 0; index < (CALLS - 2) / 2; index++) {
    const word = `r${round}c${number}i${index}`;
    const ran = await call<{ results: { terminalId: string; raw: string; exitCode: number }[] }>(
      client,
      'execute_command',
      { ...mine, command: `echo ${word}`, wait: true, timeoutMs: 50_000 },
    );
    expect(ran.structured.results).toMatchObject([{ ...mine, exitCode: 0, raw: `${word}\n` }]);
    const page = await readOwn(client, mine);
    expect(page).toContain(word);
    expect(page).not.toMatch(new RegExp(`r${round}c(?!${number}i)\\d+i`));
  }
  expect((await call(client, 'close_terminal', mine)).isError).toBe(false);
  await client.close();
}

async function readOwn(client: Client, mine: { terminalId: string }): Promise<string> {
  const { structured, isError } = await call<Page>(client, 'get_terminal_output', mine);
  expect(isError).toBe(false);
  return structured.raw;
}

describe(`${CLIENTS} clients with ${CALLS} calls each, at the same time`, () => {
  it('no error, no answer to the wrong client, and memory is flat', async () => {
    const sidecar = await startSidecar({ apiUrl: used.service.url });
    const resident: number[] = [];
    const files: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(Array.from({ length: CLIENTS }, (_, number) => work(sidecar.url, number, round)));
      resident.push(residentBytes(sidecar.pid));
      files.push(openFiles(sidecar.pid));
    }

    // The first rounds compile code and open persistent connections; only a leak grows after them.
    expect(Math.min(...resident.slice(-3)) - Math.max(...resident.slice(2, 5))).toBeLessThan(16 * MiB);
    expect(Math.min(...files.slice(-3)) - Math.max(...files.slice(2, 5))).toBeLessThan(CLIENTS);
    expect((await used.api.get<{ terminals: [] }>('/api/terminals')).body.terminals).toEqual([]);
    await sidecar.stop();
  });
});
