import { describe, expect, test } from 'vitest';
import { Access } from '#dist/actors/access/access.js';
import type { KeptToken } from '#dist/actors/access/kept-token.js';
import { OpenConnections } from '#dist/actors/access/open-connections.js';
import { Rights } from '#dist/actors/access/rights.js';
import { TokenRates } from '#dist/actors/access/token-rates.js';
import { TokenBody } from '#dist/contract/access.js';
import { CreateTerminal } from '#dist/contract/terminal.js';
import { memoryCollection, newTokens } from '../support/open-access.js';

const HOUR = 3_600_000;
const body = (more: object) => TokenBody.parse({ name: 'n', verbs: ['read', 'control'], ...more });
const request = (more: object = {}) => CreateTerminal.parse(more);

/** Access with terminals that the test adds. */
function guarded() {
  const records = new Map<string, { labels: Record<string, string>; madeWith: string[] }>();
  const ended: string[] = [];
  const tokens = newTokens({ onEnded: (id) => ended.push(id) });
  const terminals = {
    list: () => [...records].map(([id]) => ({ id }) as never),
    startOf: (id: string) => ({ meta: records.get(id)! }) as never,
  };
  const rates = new TokenRates(tokens);
  const access = new Access({
    ...{ tokens, rates, terminals, connections: new OpenConnections() },
    isGuarded: () => true,
  });
  const add = (id: string, labels: Record<string, string>, madeWith: string[]) => {
    records.set(id, { labels, madeWith });
    access.onEvent({ type: 'adopted', id });
  };
  const remove = (id: string) => {
    records.delete(id);
    access.onEvent({ type: 'removed', id, reason: 'closed' });
  };
  return { access, tokens, ended, add, remove };
}

describe('a token', () => {
  test('is found by its text, of which a hash alone is kept', async () => {
    const collection = memoryCollection<KeptToken>();
    const tokens = newTokens({ collection });
    const { holder, text } = await tokens.create(body({}));
    expect(text).toMatch(/^at_[\w-]{43}$/);
    expect(tokens.find(text)?.id).toBe(holder.id);
    expect(tokens.find(`${text}x`)).toBeUndefined();
    expect(JSON.stringify([...collection.all()])).not.toContain(text.slice(3));
    expect(newTokens({ collection }).find(text)?.id).toBe(holder.id);
  });

  test('is worth nothing once it has expired, nor what was made from it', async () => {
    let now = 0;
    const tokens = newTokens({ now: () => now });
    const { holder, text } = await tokens.create(body({ expiresInMs: HOUR }));
    const granted = await tokens.grant('term_1', { verbs: ['read'] }, holder);
    now = HOUR - 1;
    expect([tokens.find(text), tokens.find(granted)]).not.toContain(undefined);
    now = HOUR;
    expect([tokens.find(text), tokens.find(granted)]).toEqual([undefined, undefined]);
    expect(tokens.list()).toEqual([]);
  });

  test('is deleted with what was made from it', async () => {
    const { tokens, ended } = guarded();
    const { holder } = await tokens.create(body({}));
    const one = await tokens.grant('term_1', { verbs: ['control'] }, holder);
    const two = await tokens.grant('term_2', { verbs: ['control'] }, tokens.find(one));
    await tokens.delete(holder.id);
    expect([tokens.find(one), tokens.find(two)]).toEqual([undefined, undefined]);
    expect(ended).toHaveLength(3);
    await expect(tokens.delete(holder.id)).rejects.toMatchObject({ code: 'token-not-found' });
  });

  test('grants no verb that it lacks', async () => {
    const tokens = newTokens();
    const { holder } = await tokens.create(body({ verbs: ['control', 'read'] }));
    await expect(tokens.grant('term_1', { verbs: ['read', 'type'] }, holder)).rejects.toMatchObject({
      code: 'verb-missing',
      details: { needs: ['type'] },
    });
  });

  test('is not granted through more than eight hands', async () => {
    const tokens = newTokens();
    let { holder } = await tokens.create(body({}));
    const granted: string[] = [];
    await expect(
      (async () => {
        for (let n = 1; ; n++) {
          const text = await tokens.grant(`term_${n}`, { verbs: ['control'] }, holder);
          granted.push(text);
          holder = tokens.find(text)!;
        }
      })(),
    ).rejects.toMatchObject({ code: 'too-many-tokens' });
    expect(granted).toHaveLength(8);
  });
});

describe('a terminal', () => {
  test('that is created gets the labels of the token, and none that contradict them', async () => {
    const { access, tokens } = guarded();
    const { holder } = await tokens.create(body({ selector: 'team=a' }));
    const rights = access.rightsOf(holder);
    const made = await access.prepare(request({ labels: { role: 'x' } }), 'term_1', rights);
    expect(made.request.labels).toEqual({ team: 'a', role: 'x' });
    const other = access.prepare(request({ labels: { team: 'b' } }), 'term_2', rights);
    await expect(other).rejects.toMatchObject({ code: 'outside-scope' });
    for (const place of [{ tabId: 'tb-1' }, { paneId: 'pn-1' }])
      await expect(access.prepare(request(place), 'term_2', rights)).rejects.toMatchObject({
        code: 'outside-scope',
      });
    const beside = access.prepare(request({ parentTerminalId: 'term_9' }), 'term_2', rights);
    await expect(beside).rejects.toMatchObject({ code: 'terminal-not-found' });
  });

  test('counts for the token that created it, and for those that made that one, also while it is created', async () => {
    const { access, tokens, add, remove } = guarded();
    const { holder } = await tokens.create(body({ own: true, maxTerminals: 2 }));
    const rights = access.rightsOf(holder);
    const first = await access.prepare(request({ grant: { verbs: ['control'] } }), 'term_1', rights);
    expect(first.request).not.toHaveProperty('grant');
    add('term_1', {}, [...first.terms.madeWith!]);
    first.end(false);
    const agent = access.rightsOf(tokens.find(first.terms.env!.AUTO_TERMINAL_TOKEN!)!);
    const second = await access.prepare(request(), 'term_2', agent);
    expect(second.terms.madeWith).toEqual([agent.holder!.id, holder.id]);
    await expect(access.prepare(request(), 'term_3', rights)).rejects.toMatchObject({ code: 'token-limit' });
    // A repetition of the same creation makes no further terminal.
    (await access.prepare(request(), 'term_2', agent)).end(true);
    second.end(true);
    remove('term_1');
    (await access.prepare(request(), 'term_3', rights)).end(true);
  });

  test('is reached by its maker and by those that made that one, and by nobody else', async () => {
    const { access, tokens, add, remove } = guarded();
    const mine = access.rightsOf((await tokens.create(body({ own: true }))).holder);
    const others = access.rightsOf((await tokens.create(body({ own: true }))).holder);
    const labelled = access.rightsOf((await tokens.create(body({ selector: 'team=a' }))).holder);
    add('term_1', {}, [mine.holder!.id]);
    add('term_2', { team: 'a' }, []);
    const seen = (rights: Rights) => ['term_1', 'term_2', 'term_3'].filter((id) => rights.sees(id));
    expect([mine, others, labelled, new Rights()].map(seen)).toEqual([
      ['term_1'],
      [],
      ['term_2'],
      ['term_1', 'term_2', 'term_3'],
    ]);
    remove('term_1');
    expect(seen(mine)).toEqual(['term_1']);
    // An event from before the start of the service carries the labels of its terminal.
    expect([labelled.sees('term_9', { team: 'a' }), labelled.sees('term_9', { team: 'b' })]).toEqual([
      true,
      false,
    ]);
    expect(mine.sees('term_9', {})).toBe(false);
  });

  test('ends the token of its program, which a repeated creation has only added a text to', async () => {
    const { access, tokens, add, remove } = guarded();
    const asked = request({ grant: { verbs: ['read'] } });
    const texts: string[] = [];
    for (let n = 0; n < 2; n++) {
      const { terms, end } = await access.prepare(asked, 'term_1', new Rights());
      texts.push(terms.env!.AUTO_TERMINAL_TOKEN!);
      end(false);
    }
    expect(new Set(texts.map((text) => tokens.find(text)?.id)).size).toBe(1);
    add('term_1', {}, []);
    remove('term_1');
    expect(texts.map((text) => tokens.find(text))).toEqual([undefined, undefined]);
  });
});

test('what is open with a token ends when the token is deleted, or expires', async () => {
  const connections = new OpenConnections();
  const ended: string[] = [];
  const open = (id: string, endsAt: () => number | null | undefined = () => null) =>
    connections.add(id, endsAt, () => ended.push(id));
  open('a');
  open('b')();
  open('c');
  connections.end('a');
  connections.end('b');
  expect(ended).toEqual(['a']);
  let asked = 0;
  await new Promise<void>((resolve) => {
    const until = Date.now() + 5;
    connections.add('d', () => (asked++ === 0 ? until : undefined), resolve);
  });
  expect(asked).toBe(2);
  // After a rotation, the earlier text ends sooner.
  let endsAt: number | null | undefined = null;
  open('e', () => endsAt);
  connections.recheck('e');
  endsAt = undefined;
  connections.recheck('e');
  expect(ended).toEqual(['a', 'e']);
});
