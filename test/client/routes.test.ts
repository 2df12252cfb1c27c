import { describe, expect, test } from 'vitest';
import { Client } from '#dist/client/client.js';
import { FleetAdmin } from '#dist/client/fleet-admin.js';
import type { Transport, WireRequest } from '#dist/client/transport.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();

interface Operation {
  operationId: string;
  deprecated?: boolean;
}
type Document = { paths: Record<string, Record<string, Operation>> };

/** Methods of the client by the routes that they call. */
const CALLS: Record<string, (client: Client) => unknown> = {
  'GET /openapi.json': (client) => client.openapi(),
  'GET /health': (client) => client.health(),
  'GET /metrics': (client) => client.metrics(),
  'GET /api/terminals': (client) => client.terminals.list(),
  'POST /api/terminals': (client) => client.terminals.create(),
  'GET /api/tokens': (client) => client.tokens.list(),
  'GET /api/tokens/self': (client) => client.tokens.self(),
  'POST /api/tokens': (client) => client.tokens.create({ name: 'x', verbs: ['read'] }),
  'POST /api/tokens/{id}/rotate': (client) => client.tokens.rotate('tok_1'),
  'DELETE /api/tokens/{id}': (client) => client.tokens.delete('tok_1'),
  'POST /api/terminals/batch/create': (client) => client.terminals.createMany([{}]),
  'POST /api/terminals/batch/execute': (client) => client.select('a=b').prompt('hello'),
  'POST /api/terminals/batch/input': (client) => client.select(['x']).type('hello'),
  'POST /api/terminals/batch/run': (client) => client.runEach([{ terminalId: 'x', command: 'true' }]),
  'GET /api/limits': (client) => client.terminals.limits(),
  'POST /api/terminals/changes': (client) => client.terminals.changes({ x: null }),
  'POST /api/terminals/wait': (client) => client.select('a=b').wait({ until: ['waiting'] }),
  'GET /api/terminals/{id}': (client) => client.terminals.get('x').info(),
  'PATCH /api/terminals/{id}': (client) => client.terminals.get('x').update({ name: 'y' }),
  'DELETE /api/terminals/{id}': (client) => client.terminals.get('x').close(),
  'GET /api/terminals/{id}/size': (client) => client.terminals.get('x').size(),
  'POST /api/terminals/{id}/resize': (client) => client.terminals.get('x').resize({ cols: 80, rows: 24 }),
  'POST /api/terminals/{id}/resize-reflow': (client) =>
    client.terminals.get('x').reflow({ cols: 80, rows: 24 }),
  'POST /api/terminals/{id}/input': (client) => client.terminals.get('x').type('hello'),
  'POST /api/terminals/{id}/keys': (client) => client.terminals.get('x').keys(['up']),
  'POST /api/terminals/{id}/lease': (client) => client.terminals.get('x').lease(),
  'PUT /api/terminals/{id}/lease': (client) => client.terminals.get('x').leases.renew('lease_1'),
  'GET /api/terminals/{id}/lease': (client) => client.terminals.get('x').leases.state(),
  'DELETE /api/terminals/{id}/lease': (client) => client.terminals.get('x').leases.end('lease_1'),
  'POST /api/terminals/{id}/signal': (client) => client.terminals.get('x').signal('INT'),
  'POST /api/terminals/{id}/execute': (client) => client.terminals.get('x').prompt('hello'),
  'GET /api/prompts': (client) => client.prompts({ state: 'queued' }),
  'POST /api/terminals/{id}/prompts': (client) => client.terminals.get('x').prompts.add('hello'),
  'GET /api/terminals/{id}/prompts': (client) => client.terminals.get('x').prompts.list(),
  'GET /api/terminals/{id}/prompts/{promptId}': (client) => client.terminals.get('x').prompts.get('pr_1'),
  'DELETE /api/terminals/{id}/prompts/{promptId}': (client) =>
    client.terminals.get('x').prompts.cancel('pr_1'),
  'POST /api/terminals/{id}/wait': (client) => client.terminals.get('x').waitFor({ until: 'exit' }),
  'GET /api/terminals/{id}/output': (client) => client.terminals.get('x').output(),
  'GET /api/terminals/{id}/stream': (client) => client.terminals.get('x').stream().next(),
  'GET /api/terminals/{id}/snapshot': (client) => client.terminals.get('x').snapshot(),
  'GET /api/terminals/{id}/capture': (client) => client.terminals.get('x').capture(),
  'GET /api/terminals/{id}/screenshot': (client) => client.terminals.get('x').screenshot(),
  'GET /api/terminals/{id}/commands': (client) => client.terminals.get('x').commands(),
  'GET /api/terminals/{id}/commands/{commandId}/output': (client) =>
    client.terminals.get('x').commandOutput('cmd_1'),
  'GET /api/terminals/{id}/connections': (client) => client.terminals.get('x').connections(),
  'GET /api/terminals/{id}/agent/explain': (client) => client.terminals.get('x').explainAgent(),
  'GET /api/terminals/{id}/clients': (client) => client.terminals.get('x').clients(),
  'DELETE /api/terminals/{id}/clients': (client) => client.terminals.get('x').detach(),
  'DELETE /api/terminals/{id}/clients/{clientId}': (client) => client.terminals.get('x').detach('client_1'),
  'GET /api/runs': (client) => client.runs(),
  'GET /api/runs/{runId}': (client) => client.run('run_1').get(),
  'GET /api/runs/{runId}/stream': (client) => client.run('run_1').stream().next(),
  'POST /api/runs/{runId}/cancel': (client) => client.run('run_1').cancel(),
  'GET /api/events': (client) => client.events().next(),
  'GET /api/fleet/machines': (client) => client.fleet.machines(),
  'GET /api/fleet/terminals': (client) => client.fleet.terminals(),
  'GET /api/machines': (client) => new FleetAdmin(client).machines(),
  'GET /api/fleet/rights': (client) => new FleetAdmin(client).rights(),
  'GET /api/fleet/terminals/{id}': (client) => new FleetAdmin(client).find('x'),
  'POST /api/fleet/execute': (client) => client.fleet.execute({ command: 'true' }),
  'POST /api/fleet/screen': (client) => client.fleet.screen('x'),
  'POST /api/fleet/close': (client) => client.fleet.close('x'),
  'GET /api/fleet/status': (client) => new FleetAdmin(client).status(),
  'POST /api/fleet/init': (client) => new FleetAdmin(client).init(),
  'POST /api/fleet/invites': (client) => new FleetAdmin(client).invite(),
  'POST /api/fleet/join': (client) => new FleetAdmin(client).join('at1-x'),
  'POST /api/fleet/leave': (client) => new FleetAdmin(client).leave(),
  'GET /api/fleet/requests': (client) => new FleetAdmin(client).requests(),
  'POST /api/fleet/requests/{id}/approve': (client) => new FleetAdmin(client).approve('x'),
  'POST /api/fleet/requests/{id}/deny': (client) => new FleetAdmin(client).deny('x'),
  'DELETE /api/fleet/machines/{machineId}': (client) => new FleetAdmin(client).remove('m_1'),
  'GET /api/fleet/grants': (client) => new FleetAdmin(client).grants(),
  'POST /api/fleet/grants': (client) => new FleetAdmin(client).grant({ to: 'm_1', can: ['observe'] }),
  'DELETE /api/fleet/grants/{id}': (client) => new FleetAdmin(client).revoke('x'),
  'GET /api/profiles': (client) => client.profiles.list(),
  'POST /api/profiles': (client) => client.profiles.create({ name: 'x', path: '/bin/sh' }),
  'GET /api/profiles/{id}': (client) => client.profiles.get('x'),
  'PUT /api/profiles/{id}': (client) => client.profiles.replace('x', { name: 'x', path: '/bin/sh' }),
  'DELETE /api/profiles/{id}': (client) => client.profiles.delete('x'),
  'POST /api/recordings/start': (client) => client.terminals.get('x').record(),
  'GET /api/recordings/status/{terminalId}': (client) => client.terminals.get('x').recording(),
  'POST /api/recordings/stop/{id}': (client) => client.recordings.stop('x'),
  'GET /api/recordings': (client) => client.recordings.list(),
  'GET /api/recordings/active': (client) => client.recordings.active(),
  'GET /api/recordings/{id}': (client) => client.recordings.read('x').next(),
  'DELETE /api/recordings/{id}': (client) => client.recordings.delete('x'),
  'GET /api/recordings/{id}/info': (client) => client.recordings.info('x'),
  'POST /api/recordings/{id}/export': (client) => client.recordings.export('x', 'text').next(),
  'POST /api/search': (client) => client.search('x'),
  'GET /api/search/suggestions': (client) => client.suggest('x'),
  'DELETE /api/search/index': (client) => client.clearSearch(),
  'GET /api/layout': (client) => client.layout.get(),
  'POST /api/layout': (client) => client.layout.replace({ tabs: [] }),
  'GET /api/canvas/graph': (client) => client.canvas.graph(),
  'POST /api/canvas/edges': (client) => client.canvas.connect({ from: 'x', to: 'y' }),
  'PATCH /api/canvas/edges/{id}': (client) => client.canvas.label('x', null),
  'DELETE /api/canvas/edges/{id}': (client) => client.canvas.disconnect('x'),
  'PUT /api/canvas/nodes/{terminalId}': (client) => client.canvas.place('x', { x: 0 }),
  'POST /api/canvas/groups': (client) =>
    client.canvas.addGroup({ label: 'x', color: '#fff', x: 0, y: 0, width: 1, height: 1 }),
  'PATCH /api/canvas/groups/{id}': (client) => client.canvas.changeGroup('x', { label: 'y' }),
  'DELETE /api/canvas/groups/{id}': (client) => client.canvas.deleteGroup('x'),
  'GET /api/watches': (client) => client.watches.list(),
  'POST /api/watches': (client) => client.watches.create({ text: 'x' }),
  'GET /api/watches/{id}': (client) => client.watches.get('x'),
  'DELETE /api/watches/{id}': (client) => client.watches.delete('x'),
  'GET /api/audit': (client) => client.audit.lines().next(),
  'GET /api/fleet/audit': (client) => client.audit.lines({ machine: '*' }).next(),
  'GET /api/audit/verify': (client) => client.audit.verify(),
  'GET /api/webhooks': (client) => client.webhooks.list(),
  'POST /api/webhooks': (client) => client.webhooks.create({ url: 'http://x/', types: ['run.finished'] }),
  'GET /api/webhooks/{id}': (client) => client.webhooks.get('x'),
  'PATCH /api/webhooks/{id}': (client) => client.webhooks.change('x', { enabled: false }),
  'DELETE /api/webhooks/{id}': (client) => client.webhooks.delete('x'),
  'POST /api/webhooks/{id}/test': (client) => client.webhooks.test('x'),
  'GET /api/webhooks/{id}/deliveries': (client) => client.webhooks.deliveries('x'),
  'GET /api/processes': (client) => client.terminals.processes(),
  'GET /api/processes/{id}/metrics': (client) => client.terminals.get('x').metrics(),
  'GET /api/system/info': (client) => client.system(),
  'GET /api/caller': (client) => client.caller(),
  'GET /api/system/tmux-status': (client) => client.tmux(),
  'GET /api/settings': (client) => client.settings.get(),
  'PATCH /api/settings': (client) => client.settings.change({}),
  'GET /session': (client) => client.session.get(),
  'POST /session': (client) => client.session.begin('x'),
  'DELETE /session': (client) => client.session.end(),
  'POST /api/settings/token/rotate': (client) => client.settings.rotateToken(),
};

/** Routes that are the same as another route, according to the contract. */
const TWINS: Record<string, string> = {
  'GET /api/health': 'GET /health',
  'POST /api/terminals/{id}/size': 'POST /api/terminals/{id}/resize',
  'POST /api/terminals/{id}/prompt': 'POST /api/terminals/{id}/execute',
};
/** Routes of the WebSocket, which `attach` and `watch` open. */
const SOCKETS = ['GET /ws', 'GET /api/ws'];

/** Records the first request of a call, and rejects it. */
function notingTransport(sent: WireRequest[]): Transport {
  const stop = (request: WireRequest) => {
    sent.push(request);
    return Promise.reject(new Error('noted'));
  };
  return { send: stop, connect: stop as never, close: () => {} };
}

async function operations(): Promise<Map<string, Operation>> {
  const { body } = await used.api.get<Document>('/openapi.json');
  return new Map(
    Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
      ),
    ),
  );
}

describe('the client', () => {
  test('has a method for every route of the API that is not deprecated', async () => {
    const routes = [...(await operations())]
      .filter(([, { deprecated }]) => !deprecated)
      .map(([route]) => route);
    const reached = new Set([...Object.keys(CALLS), ...Object.keys(TWINS), ...SOCKETS]);
    expect(routes.filter((route) => !reached.has(route))).toEqual([]);
    expect([...reached].filter((route) => !routes.includes(route))).toEqual([]);
    for (const twin of Object.values(TWINS)) expect(Object.keys(CALLS)).toContain(twin);
  });

  test.each(Object.keys(CALLS))('%s is what its method calls', async (route) => {
    const sent: WireRequest[] = [];
    const call = CALLS[route]!;
    await expect(Promise.resolve(call(new Client(notingTransport(sent))))).rejects.toThrow('noted');
    const [method, path] = route.split(' ') as [string, string];
    const [request] = sent;
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
    expect([request?.method, request?.path.split('?')[0]]).toEqual([method, expect.stringMatching(pattern)]);
  });

  test('sends an Idempotency-Key to exactly the routes that take one', async () => {
    const all = await operations();
    for (const [route, call] of Object.entries(CALLS)) {
      const sent: WireRequest[] = [];
      await Promise.resolve(call(new Client(notingTransport(sent)))).catch(() => undefined);
      const parameters = (all.get(route) as { parameters?: { in: string; name: string }[] }).parameters ?? [];
      const takesKey = parameters.some(
        (parameter) => parameter.in === 'header' && parameter.name === 'idempotency-key',
      );
      expect([route, sent[0]?.headers['idempotency-key'] !== undefined]).toEqual([route, takesKey]);
    }
  });
});
