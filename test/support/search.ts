import type { SearchHit } from '#dist/contract/search.js';
import type { Terminal } from '#dist/contract/terminal.js';
import type { Api } from './http.js';
import { eventually } from './processes.js';

export type { SearchHit };

/** Settings under which an index keeps secrets in its text. */
export const NOT_REDACTED = { isOn: () => false, finderOf: () => ({}) as never };

export interface SearchRequest {
  query: string;
  filters?: Record<string, unknown>;
  limit?: number;
}

/** Resolves with the hits of a search that must succeed. */
export async function search(api: Api, query: string | SearchRequest): Promise<SearchHit[]> {
  const request = typeof query === 'string' ? { query } : query;
  const { status, body } = await api.post<{ results: SearchHit[] }>('/api/search', request);
  if (status !== 200) throw new Error(`search answered ${status}: ${JSON.stringify(body)}`);
  return body.results;
}

/** Resolves with the hits once there are at least `count`. */
export async function found(api: Api, query: string | SearchRequest, count = 1): Promise<SearchHit[]> {
  let hits: SearchHit[] = [];
  const enough = async () => {
    hits = await search(api, query);
    return hits.length >= count;
  };
  await eventually(`${count} hits for ${JSON.stringify(query)}`, enough);
  return hits;
}

/** Makes a program in a new terminal print the text; resolves with the terminal's id. */
export async function print(api: Api, text: string, options: object = {}): Promise<string> {
  const command = ['printf', '%s', text.replaceAll('\n', '\r\n')];
  const { status, body } = await api.post<Terminal>('/api/terminals', { command, ...options });
  if (status !== 200) throw new Error(`create answered ${status}: ${JSON.stringify(body)}`);
  return body.id;
}

/** Resolves with the words that are suggested for a prefix, sorted. */
export async function suggestions(api: Api, prefix: string): Promise<string[]> {
  const path = `/api/search/suggestions?q=${encodeURIComponent(prefix)}`;
  const { status, body } = await api.get<{ suggestions: string[] }>(path);
  if (status !== 200) throw new Error(`suggestions answered ${status}: ${JSON.stringify(body)}`);
  return body.suggestions.sort();
}

/** Returns the hits of a search job, which holds them as JSON. */
export function jsonHits({ hits, ends }: { hits: Uint8Array; ends: number[] }): SearchHit[] {
  const text = (begin: number, end: number) => Buffer.from(hits.subarray(begin, end)).toString('utf8');
  return ends.map((end, index) => JSON.parse(text(ends[index - 1] ?? 0, end)) as SearchHit);
}
