import { describe, expect, test } from 'vitest';
import type { BatchCreateAnswer } from '#dist/contract/batch-create.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { createApi, type Failure } from '../support/http.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
const PATH = '/api/terminals/batch/create';

const create = async (terminals: object[], api = used.api) =>
  (await api.post<BatchCreateAnswer>(PATH, { terminals })).body;
const labelled = async (selector: string) =>
  (await used.api.get<{ terminals: Terminal[] }>(`/api/terminals?selector=${selector}`)).body.terminals;

describe('POST /api/terminals/batch/create', () => {
  test('creates each terminal as asked, answers in order, and reports what cannot be created', async () => {
    const answer = await create([
      { name: 'one', command: ['cat'], labels: { case: 'mixed' } },
      { command: ['cat'], cwd: '/nowhere' },
      { parentTerminalId: 'term_unknown' },
      { name: 'four', command: ['cat'], cols: 91, labels: { case: 'mixed' }, colour: 'red' },
      {},
    ]);
    expect(answer).toMatchObject({
      results: [
        { success: true, terminal: { name: 'one', mode: 'api', status: 'running' } },
        { success: false, code: 'spawn-failed', error: expect.stringContaining('/nowhere') },
        { success: false, code: 'terminal-not-found' },
        { success: true, terminal: { name: 'four', warnings: ['unknown field: colour'] } },
        { success: true, terminal: { profile: 'sh' } },
      ],
      summary: { total: 5, succeeded: 3, failed: 2 },
    });
    const { results } = answer;
    const listed = await labelled('case=mixed');
    expect(listed.map(({ id }) => id).sort()).toEqual(
      [results[0]?.terminal?.id, results[3]?.terminal?.id].sort(),
    );
    const size = await used.api.get(`/api/terminals/${results[3]?.terminal?.id}/size`);
    expect(size.body).toEqual({ cols: 91, rows: 24 });
  });

  test('creates nothing again when it is retried with its key', async () => {
    const keyed = createApi(used.service.url, { headers: { 'idempotency-key': 'twenty' } });
    const terminals = Array.from({ length: 20 }, (_, index) => ({
      name: `number ${index}`,
      command: index === 7 ? ['/nowhere'] : ['cat'],
      labels: { case: 'retried' },
    }));
    const [first, joined] = await Promise.all([create(terminals, keyed), create(terminals, keyed)]);
    expect(joined).toEqual(first);
    expect(await create(terminals, keyed)).toEqual(first);
    expect(first.summary).toEqual({ total: 20, succeeded: 19, failed: 1 });
    expect(first.results[7]).toMatchObject({ success: false, code: 'spawn-failed' });
    expect(await labelled('case=retried')).toHaveLength(19);
    const other = await keyed.post<Failure & { code: string }>(PATH, { terminals: terminals.slice(1) });
    expect([other.status, other.body.code]).toEqual([422, 'key-reused']);
  });

  test.each([
    [{}, 'terminals'],
    [{ terminals: [] }, 'terminals'],
    [{ terminals: [{ cols: 80 }, { cols: 0 }] }, 'terminals[1][cols]'],
    [{ terminals: Array.from({ length: 1_001 }, () => ({})) }, 'terminals'],
  ])('a body that breaks a rule creates nothing', async (body, field) => {
    const answer = await used.api.post<Failure>(PATH, body);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(field)]);
  });
});
