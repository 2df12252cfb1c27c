import { describe, expect, it } from 'vitest';
import { call, connect, startSidecar } from '../support/mcp.js';
import { useService } from '../support/use-service.js';

const COUNT = 300;
const AT_ONCE = 16;
/** Number of exit codes, which are bytes. */
const CODES = 256;

const used = useService();

interface Ran {
  results: { terminalId: string; success: boolean; done: boolean; exitCode: number; raw: string }[];
  summary: object;
}

/** Bash terminals, each with its number in its environment. */
async function createAll(): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < COUNT; index = next++) {
      const body = { command: ['bash'], env: { INDEX: String(index) } };
      ids[index] = (await used.api.post<{ id: string }>('/api/terminals', body)).body.id;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return ids;
}

describe(`execute_command on ${COUNT} ids`, () => {
  it('with wait: one result for each id, in their order, each right', async () => {
    const sidecar = await startSidecar({ apiUrl: used.service.url });
    const terminalId = await createAll();
    const client = await connect(sidecar.url);
    const command = `echo "I am $INDEX"; (exit $((INDEX % ${CODES})))`;
    const { structured, isError, text } = await call<Ran>(
      client,
      'execute_command',
      { terminalId, command, wait: true, timeoutMs: 120_000 },
      { timeout: 150_000 },
    );
    expect(isError).toBe(false);
    const expected = terminalId.map((id, index) => ({
      ...{ terminalId: id, success: true, done: true },
      ...{ exitCode: index % CODES, raw: expect.stringContaining(`I am ${index}`) },
    }));
    expect(structured.results).toHaveLength(COUNT);
    expect(structured.results).toMatchObject(expected);
    // The text contains all of it, too.
    for (const index of [0, 1, COUNT - 1]) {
      expect(text).toContain(terminalId[index]!);
      expect(text).toContain(`I am ${index}\n`);
    }
    await sidecar.stop();
  });
});
