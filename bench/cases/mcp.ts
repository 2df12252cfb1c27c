import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Api } from '../../test/support/http.js';
import type { Row } from '../report.js';
import type { Bench } from '../support/bench.js';
import { startOurs } from '../support/our-service.js';
import { median } from '../support/stats.js';

/** Calls until the code on the way is compiled, in three processes. */
const WARM_UP = 1_000;
const CALLS = 1_500;
/** Lines that are read. */
const LINES = 50;

/** A tool call, by the official SDK's client, beside the same call of REST. */
export async function mcp({ cleanup }: Bench): Promise<Row[]> {
  const { api, mcpUrl } = await startOurs(cleanup, { mcp: true });
  const client = new Client({ name: 'bench', version: '1.0.0' });
  cleanup.defer(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl!), { fetch: fetchAlone }));
  const id = await printed(api);
  const pairs = [
    {
      ...{ name: 'list_terminals', args: {} },
      rest: () => api.get('/api/fleet/terminals'),
    },
    {
      ...{ name: 'get_terminal_output', args: { terminalId: id, lines: LINES } },
      rest: () => api.get(`/api/terminals/${id}/output?lines=${LINES}`),
    },
  ];
  const rows: Row[] = [];
  for (const { name, args, rest } of pairs) {
    const tool = async () => {
      const { isError } = await client.callTool({ name, arguments: args });
      if (isError) throw new Error(`${name} failed`);
    };
    await alternate(tool, rest, WARM_UP);
    const times = await alternate(tool, rest, CALLS);
    const [ours, theirs] = [median(times.tool), median(times.rest)];
    rows.push(
      { name: `${name}: p50`, value: ours, unit: 'ms', peer: { name: 'REST', value: theirs } },
      { name: `${name}: p50 of the bridge`, value: ours - theirs, unit: 'ms' },
    );
  }
  return rows;
}

/**
 * Sends without the signal that the SDK gives all requests of a client: each leaves a listener on it that Node takes
 * back only when the request is collected, and warns of from 1,500 on. A call is answered before the client closes;
 * the stream that stands keeps the signal.
 */
function fetchAlone(url: string | URL, { signal, ...init }: RequestInit = {}): Promise<Response> {
  return fetch(url, init.method === 'POST' ? init : { ...init, signal });
}

/** Each in its turn, so that both meet the machine in the same moods. Milliseconds. */
async function alternate(tool: () => Promise<unknown>, rest: () => Promise<unknown>, count: number) {
  const times = { tool: [] as number[], rest: [] as number[] };
  for (let index = 0; index < count; index++) {
    times.rest.push(await timed(rest));
    times.tool.push(await timed(tool));
  }
  return times;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** A terminal with some lines in it. */
async function printed(api: Api): Promise<string> {
  const { body } = await api.post<{ id: string }>('/api/terminals', { command: ['bash'] });
  await api.post('/api/terminals/batch/run', { terminalIds: [body.id], command: 'seq 1000 1200' });
  return body.id;
}
