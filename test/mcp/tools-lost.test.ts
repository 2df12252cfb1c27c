// Tools on a terminal that was lost with the process that held it.
import { expect, it } from 'vitest';
import { useTools } from '../support/mcp-tools.js';
import { answering } from '../support/scripted-server.js';

let apiUrl = '';
const { failure } = useTools(() => ({ apiUrl }));

it('execute_command says that nobody knows how the program of a lost terminal has ended', async () => {
  const id = 'term_000000000000';
  const lost = {
    ...{
      id,
      processId: id,
      name: 'lost',
      profile: 'bash',
      status: 'exited',
      pid: 7,
      createdAt: 1,
      mode: 'api',
    },
    ...{ tabId: 'tb-000000000', labels: {}, exitCode: null, signal: null, exitedAt: 2, reason: 'host-lost' },
  };
  const service = await answering(({ request, response }) => {
    const isKnown = request.url === `/api/terminals/${id}`;
    const body = isKnown ? lost : { error: 'Terminal not found', code: 'terminal-not-found' };
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  apiUrl = service.url;
  const text = await failure('execute_command', { command: 'true', terminalId: id });
  expect(text).toContain('The program of this terminal ended, nobody knows how (host-lost): no command');
});
