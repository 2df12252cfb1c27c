import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Api } from '../../test/support/http.js';
import type { Row } from '../report.js';
import { alternate } from '../support/alternate.js';
import type { Bench } from '../support/bench.js';
import { startOurs } from '../support/our-service.js';
import { median } from '../support/stats.js';

/** Warm-up calls, until the code is compiled in all three processes. */
const WARM_UP = 1_000;
const CALLS = 1_500;
/** Lines that each call reads. */
const LINES = 50;

/** Measures tool calls by the official SDK's client, compared with the same REST calls. */
export async function mcp({ cleanup, progress }: Bench): Promise<Row[]> {
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
    progress.note(name);
    const tool = async () => {
      const { isError } = await client.callTool({ name, arguments: args });
      if (isError) throw new Error(`${name} failed`);
    };
    await alternate({ rest, tool }, WARM_UP);
    const times = await alternate({ rest, tool }, CALLS);
    const [ours, theirs] = [median(times.tool), median(times.rest)];
    rows.push(
      { name: `${name}: p50`, value: ours, unit: 'ms', peer: { name: 'REST', value: theirs } },
      { name: `${name}: p50 of the bridge`, value: ours - theirs, unit: 'ms' },
    );
  }
  return rows;
}

/**
 * Sends POSTs without the signal that the SDK shares among all requests of a client. Each request would leave a
 * listener on the signal until the request is garbage-collected, and Node warns from 1,500 listeners on. Calls are
 * answered before the client closes; the client's open stream keeps the signal.
 */
function fetchAlone(url: string | URL, { signal, ...init }: RequestInit = {}): Promise<Response> {
  return fetch(url, init.method === 'POST' ? init : { ...init, signal });
}

/** Creates a terminal with some printed lines and resolves with its id. */
async function printed(api: Api): Promise<string> {
  const { body } = await api.post<{ id: string }>('/api/terminals', { command: ['bash'] });
  await api.post('/api/terminals/batch/run', { terminalIds: [body.id], command: 'seq 1000 1200' });
  return body.id;
}
