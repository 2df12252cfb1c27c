import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { found, print, type SearchHit, search, suggestions } from '../support/search.js';
import { type Service, startService } from '../support/service.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let service: Service;
let api: Api;

beforeAll(async () => {
  service = await startService({ env: { SHELL: '/bin/bash' } });
  api = createApi(service.url);
});
afterAll(() => service?.stop());

/** The parts of a document's content that a hit names, by characters. */
function matched({ document, matches }: SearchHit): string[] {
  const characters = [...document.content];
  return matches.map(([start, end]) => characters.slice(start, end).join(''));
}

describe('POST /api/search', () => {
  test('answers {results: [hit]} with document, score 1, matches and context', async () => {
    const terminalId = await print(api, 'the wombat sleeps\nthe wombat wakes\n');
    const before = Date.now();
    const { status, body } = await api.post<{ results: unknown[] }>('/api/search', { query: 'wombat' });
    expect(status).toBe(200);
    expect(body).toEqual({ results: expect.any(Array) });
    const [hit] = await found(api, 'wombat');
    expect(hit).toEqual({
      document: {
        id: expect.stringMatching(UUID),
        terminalId,
        type: 'output',
        timestamp: expect.stringMatching(RFC_3339),
        content: 'the wombat sleeps\nthe wombat wakes',
      },
      score: 1,
      matches: [
        [4, 10],
        [22, 28],
      ],
      context: 'the wombat sleeps\nthe wombat wakes',
    });
    expect(Math.abs(Date.parse(hit!.document.timestamp) - before)).toBeLessThan(60_000);
    expect((await search(api, 'wombat'))[0]?.document.id).toBe(hit?.document.id);
  });

  test('matches a substring of the content, also across its lines', async () => {
    await print(api, 'unbelievable\nplatypus\n');
    await found(api, 'platypus');
    expect(await search(api, 'lievable\nplaty')).toHaveLength(1);
    expect(await search(api, 'lievable platy')).toHaveLength(0);
  });

  test.each([
    ['ASCII', 'FaTaL QuOkKa', 'fatal quokka', 'FATAL QUOKKA'],
    ['accents', 'Übergröße CAFÉ', 'übergröße café', 'ÜBERGRÖßE CAFÉ'],
    ['Cyrillic', 'Привет Вомбат', 'привет вомбат', 'ПРИВЕТ ВОМБАТ'],
    ['Greek with its final sigma', 'Σίσυφος ΛΌΓΟΣ', 'σίσυφοσ λόγος', 'ΣΊΣΥΦΟΣ ΛΌΓΟΣ'],
    ['Turkish', 'İstanbul', 'istanbul', 'ISTANBUL'],
  ])('ignores case: %s', async (_script, text, ...queries) => {
    await print(api, `${text}\n`);
    await found(api, text);
    for (const query of queries) {
      const [hit] = await search(api, query);
      expect(hit?.document.content).toBe(text);
      expect(matched(hit!)).toEqual([text]);
    }
  });

  test('returns matches as character indexes into the content, with emoji before them', async () => {
    await print(api, '😀😀 a kiwi, 𝔘𝔫𝔦 and a KIWI\n');
    const [hit] = await found(api, 'kiwi');
    expect(hit?.matches).toEqual([
      [5, 9],
      [21, 25],
    ]);
    expect(matched(hit!)).toEqual(['kiwi', 'KIWI']);
  });

  test('names occurrences that do not overlap, the first 100', async () => {
    await print(api, `zz${'qx'.repeat(2)}zz ${'qxq'.repeat(3)}\n${'zebu'.repeat(500)}\n`);
    expect((await found(api, 'qxq'))[0]?.matches).toEqual([
      [2, 5],
      [9, 12],
      [12, 15],
      [15, 18],
    ]);
    expect((await search(api, 'zebu'))[0]?.matches).toHaveLength(100);
  });

  test('context is about 50 characters each side of the first match, cutting no character', async () => {
    const line = `${'😀'.repeat(120)}lemur${'é'.repeat(120)}`;
    await print(api, `${line}\n`, { cols: 1_000 });
    const [hit] = await found(api, 'lemur');
    expect(hit?.context).toBe(`${'😀'.repeat(50)}lemur${'é'.repeat(50)}`);
  });

  test('sorts newest first, then cuts to the limit', async () => {
    for (let index = 0; index < 4; index++) {
      await print(api, `tapir ${index}\n`);
      await found(api, `tapir ${index}`);
    }
    const all = await search(api, 'tapir');
    expect(all.map(({ document }) => document.content)).toEqual(['tapir 3', 'tapir 2', 'tapir 1', 'tapir 0']);
    const times = all.map(({ document }) => document.timestamp);
    expect(times).toEqual([...times].sort().reverse());
    expect(await search(api, { query: 'tapir', limit: 2 })).toEqual(all.slice(0, 2));
  });

  test('limit is 50 by default', async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `capybara ${index}\r`).join('');
    const id = (await api.post<{ id: string }>('/api/terminals', { command: ['cat'] })).body.id;
    await api.post(`/api/terminals/${id}/input`, { data: lines });
    await found(api, { query: 'capybara', filters: { type: 'input' }, limit: 100 }, 60);
    expect(await search(api, { query: 'capybara', filters: { type: 'input' } })).toHaveLength(50);
    await api.delete(`/api/terminals/${id}`);
  });

  test('honours the filters terminalId and type, and ignores other keys', async () => {
    const one = await print(api, 'gecko\n');
    const other = await print(api, 'gecko\n');
    await found(api, 'gecko', 2);
    const ids = async (filters: object) =>
      (await search(api, { query: 'gecko', filters: { ...filters } })).map((hit) => hit.document.terminalId);
    expect(await ids({ terminalId: one })).toEqual([one]);
    expect(await ids({ terminalId: other, type: 'output' })).toEqual([other]);
    expect(await ids({ type: 'output', color: 'green' })).toHaveLength(2);
    for (const type of ['input', 'error']) expect(await ids({ type })).toEqual([]);
    expect(await ids({ terminalId: 'term_unknown' })).toEqual([]);
    const { status, body } = await api.post<{ results: [] }>('/api/search', {
      query: 'gecko',
      filters: null,
    });
    expect([status, body.results.length]).toEqual([200, 2]);
  });

  test.each([
    ['no query', {}],
    ['an empty query', { query: '' }],
    ['a query that is no string', { query: 5 }],
    ['a query of 1,001 characters', { query: 'x'.repeat(1_001) }],
    ['a limit of 0', { query: 'x', limit: 0 }],
    ['a limit of 1,001', { query: 'x', limit: 1_001 }],
    ['a limit that is no number', { query: 'x', limit: 'many' }],
    ['an unknown type', { query: 'x', filters: { type: 'stdout' } }],
    ['filters that are no object', { query: 'x', filters: [] }],
  ])('400 {error} for %s', async (_name, body) => {
    const { status, body: failure } = await api.post<Failure>('/api/search', body);
    expect([status, failure]).toEqual([400, failed()]);
  });

  test.each([
    ['half of a surrogate pair', '\ud83d'],
    ['a NUL', 'a\0b'],
    ['what a pattern would take for more', '.*[('],
    ['1,000 characters', 'é'.repeat(1_000)],
  ])('finds nothing for %s, and does not fail', async (_name, query) => {
    expect(await search(api, query)).toEqual([]);
  });
});

describe('GET /api/search/suggestions', () => {
  test('returns unique whole words that begin with q, in any case, with the case of the text', async () => {
    await print(api, 'Echidna echidna-like ECHIDNAS echidna reechidna echidna_2\n');
    await found(api, 'echidna');
    expect(await suggestions(api, 'eCHid')).toEqual(['ECHIDNAS', 'Echidna', 'echidna', 'echidna_2']);
    expect(await suggestions(api, 'chid')).toEqual([]);
  });

  test('at most 10', async () => {
    await print(api, `${Array.from({ length: 30 }, (_, index) => `dingo${index}`).join(' ')}\n`);
    await found(api, 'dingo');
    expect(await suggestions(api, 'dingo')).toHaveLength(10);
  });

  test('no word for a prefix that is empty or no word; 400 without q', async () => {
    for (const prefix of ['', ' ', 'a b', '.*']) expect(await suggestions(api, prefix)).toEqual([]);
    const { status, body } = await api.get<Failure>('/api/search/suggestions');
    expect([status, body]).toEqual([400, failed()]);
  });
});

describe('DELETE /api/search/index', () => {
  test('answers {status: cleared}; nothing is found or suggested until later text is', async () => {
    await print(api, 'numbat before\n');
    await found(api, 'numbat');
    const { status, body } = await api.delete('/api/search/index');
    expect([status, body]).toEqual([200, { status: 'cleared' }]);
    expect(await search(api, 'numbat')).toEqual([]);
    expect(await search(api, 'e')).toEqual([]);
    expect(await suggestions(api, 'n')).toEqual([]);
    await print(api, 'numbat after\n');
    expect((await found(api, 'numbat')).map((hit) => hit.document.content)).toEqual(['numbat after']);
  });

  test('cleared text is no longer on disk, not even in a deleted file that is open', async () => {
    await print(api, 'quokka\n');
    await found(api, 'quokka');
    expect((await api.delete('/api/search/index')).status).toBe(200);
    const deleted = async () => {
      const maps = await readFile(`/proc/${service.pid}/maps`, 'utf8');
      return maps.split('\n').filter((line) => line.includes('search') && line.includes('(deleted)'));
    };
    await eventually('no thread has it open', async () => (await deleted()).length === 0);
  });

  test('500 {error} when the empty index cannot be stored, and nothing is lost', async () => {
    await print(api, 'bilby\n');
    await found(api, 'bilby');
    // The next generation's folder exists already, and is not empty.
    const inTheWay = join(service.home, 'data', 'search', '4');
    mkdirSync(inTheWay);
    writeFileSync(join(inTheWay, 'file'), '');
    const { status, body } = await api.delete<Failure>('/api/search/index');
    expect([status, body]).toEqual([500, failed('Search index could not be cleared')]);
    expect(await search(api, 'bilby')).toHaveLength(1);
    await rm(inTheWay, { recursive: true });
    expect((await api.delete('/api/search/index')).status).toBe(200);
  });
});
