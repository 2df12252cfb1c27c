import { describe, expect, test } from 'vitest';
import type { Prompt } from '#dist/contract/prompt.js';
import { createApi, type Failure } from '../support/http.js';
import { promptsAt } from '../support/prompts.js';
import { useService } from '../support/use-service.js';

type Refused = Failure & { code: string };

const used = useService({ env: { SHELL: '/bin/bash' } });
const { add, ended } = promptsAt(() => used.api);

describe('a prompt that waits', () => {
  /** A program that is neither an agent nor a shell. */
  const program = async () =>
    (await used.api.post<{ id: string }>('/api/terminals', { command: ['cat'] })).body.id;

  test('expires at its time, also where nobody can tell whether the terminal is ready', async () => {
    const id = await program();
    const prompt = await add(id, 'never', { expiresInMs: 300 });
    const expired = await ended(prompt);
    expect(expired).toMatchObject({ state: 'expired', reason: null, typedAt: null });
    expect(expired.endedAt! - prompt.expiresAt!).toBeGreaterThanOrEqual(0);
    expect((await used.api.get<{ raw: string }>(`/api/terminals/${id}/output`)).body.raw).toBe('');
  });

  test('can be cancelled, once', async () => {
    const id = await program();
    const prompt = await add(id, 'never');
    const cancelled = await used.api.delete<Prompt>(`/api/terminals/${id}/prompts/${prompt.id}`);
    expect(cancelled.body).toMatchObject({ state: 'cancelled', reason: 'requested', position: null });
    const again = await used.api.delete<Refused>(`/api/terminals/${id}/prompts/${prompt.id}`);
    expect([again.status, again.body.code]).toEqual([409, 'prompt-not-queued']);
    const other = await used.api.get<Refused>(`/api/terminals/${await program()}/prompts/${prompt.id}`);
    expect([other.status, other.body.code]).toEqual([404, 'prompt-not-found']);
  });

  test('ends with its terminal, and is listed after that', async () => {
    const id = await program();
    const prompt = await add(id, 'never');
    await used.api.delete(`/api/terminals/${id}`);
    expect(await ended(prompt)).toMatchObject({ state: 'terminal-gone' });
    const { body } = await used.api.get<{ prompts: Prompt[] }>('/api/prompts?state=terminal-gone');
    expect(body.prompts.map((each) => each.id)).toContain(prompt.id);
    const refused = await used.api.post<Refused>(`/api/terminals/${id}/prompts`, { prompt: 'x' });
    expect(refused.body.code).toBe('terminal-not-found');
  });

  test('is queued once for each key, and bounded', async () => {
    const id = await program();
    const keyed = createApi(used.service.url, { headers: { 'idempotency-key': `k-${id}` } });
    const post = () => keyed.post<Prompt>(`/api/terminals/${id}/prompts`, { prompt: 'x' });
    expect((await post()).body.id).toBe((await post()).body.id);
    for (let n = 1; n < 100; n++) await add(id, `p${n}`);
    const refused = await used.api.post<Refused>(`/api/terminals/${id}/prompts`, { prompt: 'x' });
    expect([refused.status, refused.body.code]).toEqual([429, 'too-many-prompts']);
    const { body } = await used.api.get<{ prompts: Prompt[] }>(`/api/terminals/${id}/prompts`);
    expect(body.prompts.map(({ position }) => position)).toEqual([...Array(100).keys()].map((n) => n + 1));
    const { body: page } = await used.api.get<string>('/metrics');
    expect(page).toMatch(/^auto_terminal_prompts_queued 1\d\d$/m);
    expect(page).toMatch(/^auto_terminal_prompts_total\{state="expired"\} [1-9]/m);
    await used.api.delete(`/api/terminals/${id}`);
  });

  test('shows its whole text only by itself', async () => {
    const id = await program();
    const prompt = await add(id, 'x'.repeat(2_000));
    expect(prompt).toMatchObject({ prompt: 'x'.repeat(2_000), promptChars: 2_000 });
    const { body } = await used.api.get<{ prompts: Prompt[] }>(`/api/terminals/${id}/prompts`);
    expect(body.prompts[0]!.prompt).toHaveLength(500);
  });

  test.each([
    [{}, 'invalid-request'],
    [{ prompt: '' }, 'invalid-request'],
    [{ prompt: 'a\u0003b' }, 'invalid-request'],
    [{ prompt: 'x', at: 1, afterMs: 1 }, 'invalid-request'],
    [{ prompt: 'x', expiresAt: 1, expiresInMs: 1 }, 'invalid-request'],
    [{ prompt: 'x', cliType: 'none' }, 'unknown-cli-type'],
  ])('is refused as %j', async (body, code) => {
    const refused = await used.api.post<Refused>(`/api/terminals/${await program()}/prompts`, body);
    expect([refused.status, refused.body.code]).toEqual([400, code]);
  });
});
