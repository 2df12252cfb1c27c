import { beforeAll, describe, expect, test } from 'vitest';
import { socketOf } from '../support/asking-program.js';
import { type Guarded, guard } from '../support/guarded.js';
import { useService } from '../support/use-service.js';

const used = useService();
let guarded: Guarded;

const own = (method: string, path: string, body?: unknown) => guarded.send(guarded.own, method, path, body);
const idOf = ({ id }: { id: string }) => id;

beforeAll(async () => {
  guarded = await guard(used.service);
});

describe('a grant', () => {
  /** Command that prints its token, and then reads. */
  const PRINTS = ['sh', '-c', 'echo "token=$AUTO_TERMINAL_TOKEN."; exec cat'];

  /** Command that prints its token, and per input line the status of a request by unix socket without the token. */
  const ASKS = [
    process.execPath,
    '-e',
    `console.log('token=' + process.env.AUTO_TERMINAL_TOKEN + '.');
    process.stdin.on('data', () => {
      const request = require('node:http').request({ socketPath: process.env.API, path: '/api/settings', agent: false });
      request.on('response', (answer) => console.log('status=' + answer.resume().statusCode + '.')).end();
    });`,
  ];
  const ENV = () => ({ API: socketOf(used.service) });

  async function answersOf(id: string): Promise<string[]> {
    const { raw } = (await own('GET', `/api/terminals/${id}/output`)).body as { raw: string };
    return [...raw.matchAll(/status=(\d+)\./g)].map(([, status]) => status!);
  }

  async function granted(body: object, as = guarded.own): Promise<{ id: string; token: string }> {
    const created = await guarded.send(as, 'POST', '/api/terminals', {
      command: PRINTS,
      env: ENV(),
      ...body,
    });
    expect(created.status).toBe(200);
    const { id } = created.body as { id: string };
    const read = async () =>
      /token=(at_[\w-]+)\./.exec((await own('GET', `/api/terminals/${id}/output`)).body.raw)?.[1];
    await expect.poll(read).toBeDefined();
    const token = (await read())!;
    expect(JSON.stringify(created.body)).not.toContain(token);
    return { id, token };
  }

  test('gives the program a token for its own terminal and for those that it creates, which ends with it', async () => {
    const foreign = await guarded.open();
    const { id, token } = await granted({ grant: { verbs: ['read', 'control'], maxTerminals: 1 } });
    const list = async () => (await guarded.send(token, 'GET', '/api/terminals')).body.terminals.map(idOf);
    expect(await list()).toEqual([id]);
    const child = await guarded.open({}, token);
    expect((await list()).sort()).toEqual([id, child].sort());
    expect(await guarded.send(token, 'POST', '/api/terminals', {})).toMatchObject({
      status: 429,
      body: { code: 'token-limit' },
    });
    expect((await guarded.send(token, 'GET', `/api/terminals/${foreign}`)).status).toBe(404);
    expect((await guarded.send(token, 'POST', `/api/terminals/${id}/input`, { data: 'x' })).status).toBe(403);
    const { body } = await own('GET', '/api/tokens');
    expect(body.tokens.find(({ terminalId }: { terminalId: string }) => terminalId === id)).toMatchObject({
      own: true,
      maxTerminals: 1,
      expiresAt: null,
    });
    await own('DELETE', `/api/terminals/${id}`);
    expect((await guarded.send(token, 'GET', '/api/terminals')).status).toBe(401);
    expect((await own('GET', `/api/terminals/${child}`)).status).toBe(200);
  });

  test('allows no more than the token of who creates, and ends with that token', async () => {
    const maker = await guarded.make(['control', 'read'], { selector: 'team=a' });
    const asked = { command: ['cat'], grant: { verbs: ['type'] } };
    expect(await guarded.send(maker.token, 'POST', '/api/terminals', asked)).toMatchObject({
      status: 403,
      body: { code: 'verb-missing', needs: ['type'] },
    });
    const { token } = await granted({ grant: { verbs: ['control', 'read'] } }, maker.token);
    const child = (await guarded.send(token, 'POST', '/api/terminals', { command: ['cat'] })).body;
    expect(child.labels).toEqual({ team: 'a' });
    await own('DELETE', `/api/tokens/${maker.id}`);
    expect((await guarded.send(token, 'GET', '/api/terminals')).status).toBe(401);
  });

  test('is all that the program has: without its token it is not let in by the unix socket', async () => {
    const script = `const request = require('node:http').request({ socketPath: process.env.API, path: '/api/terminals' });
      request.on('response', (answer) => { console.log('status=' + answer.statusCode + '.'); setInterval(() => {}, 1e6); }).end();`;
    const command = [process.execPath, '-e', script];
    const env = { API: socketOf(used.service) };
    const answered = async (more: object) => {
      const { body } = await own('POST', '/api/terminals', { command, env, ...more });
      const read = async () =>
        /status=(\d+)\./.exec((await own('GET', `/api/terminals/${body.id}/output`)).body.raw)?.[1];
      await expect.poll(read).toBeDefined();
      return read();
    };
    expect(await answered({})).toBe('200');
    expect(await answered({ grant: { verbs: ['read'] } })).toBe('401');
  });

  test('leaves the program outside when it has ended, and what the program has created', async () => {
    const { id, token } = await granted({ command: ASKS, grant: { verbs: ['control', 'read'] } });
    const child = await guarded.send(token, 'POST', '/api/terminals', { command: ASKS, env: ENV() });
    const asked = async (terminal: string) => {
      const before = await answersOf(terminal);
      await own('POST', `/api/terminals/${terminal}/input`, { data: '\n' });
      await expect.poll(async () => (await answersOf(terminal)).length).toBeGreaterThan(before.length);
      return (await answersOf(terminal)).at(-1);
    };
    expect(await asked(child.body.id)).toBe('401');
    expect(await asked(id)).toBe('401');
    const { tokens } = (await own('GET', '/api/tokens')).body;
    const grant = tokens.find(({ terminalId }: { terminalId: string }) => terminalId === id);
    expect((await own('DELETE', `/api/tokens/${grant.id}`)).status).toBe(204);
    expect(await asked(id)).toBe('401');
    expect(await asked(child.body.id)).toBe('401');
  });
});
