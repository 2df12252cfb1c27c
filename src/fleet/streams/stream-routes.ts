import type { Right } from '../../contract/fleet-machines.js';
import type { Need } from '../rights.js';
import { needOf as needOfCall } from '../routes.js';
import { STREAM_METHOD } from './stream-wire.js';

/** A stream that other machines may open. Its path is that of a route, or `live`: the terminal as its watchers see it. */
interface StreamRoute {
  pattern: RegExp;
  isLive?: boolean;
  need: (id: string, query: URLSearchParams) => Need;
}

const SEGMENT = '([A-Za-z0-9_~:-][A-Za-z0-9._~:-]*)';

const pathOf = (path: string) => new RegExp(`^${path.replace(':id', SEGMENT)}$`);
const observed = (id: string): Need => ({ rights: ['observe'], reach: [id] });
const all = (right: Right) => (): Need => ({ rights: [right], reach: 'all' });

const STREAMS: readonly StreamRoute[] = [
  { pattern: pathOf('/api/terminals/:id/live'), isLive: true, need: observed },
  { pattern: pathOf('/api/terminals/:id/stream'), need: observed },
  {
    pattern: pathOf('/api/events'),
    // Only a machine that may observe all terminals gets events of no terminal, and of future terminals.
    need: (_id, query) => {
      const ids = terminalsIn(query);
      return { rights: ['observe'], reach: ids.length > 0 ? ids : 'all' };
    },
  },
  { pattern: pathOf('/api/runs/:id/stream'), need: all('execute') },
  { pattern: pathOf('/api/recordings/:id'), need: all('record') },
];

/** A stream that a machine asks for, as its route knows it. */
export interface KnownStream {
  need: Need;
  /** The terminal to watch; undefined for the streamed answer to a GET of `url`. */
  liveId: string | undefined;
  /** Path and query, serialized again after parsing, so that no other parser can read the same text differently. */
  url: string;
}

/** Returns the stream that a URL names; undefined for a stream that no machine may open. */
export function streamOf(url: string): KnownStream | undefined {
  const [path = '', text = ''] = url.split('?');
  const query = new URLSearchParams(text);
  for (const { pattern, isLive = false, need } of STREAMS) {
    const match = pattern.exec(path);
    if (!match) continue;
    const id = match[1] ?? '';
    const asked = query.size === 0 ? path : `${path}?${query}`;
    return { need: need(id, query), liveId: isLive ? id : undefined, url: asked };
  }
  return undefined;
}

/** Returns whether the answer of this machine's own client is streamed when another machine serves it. */
export function isStreamed(method: string, url: string): boolean {
  const stream = method === 'GET' ? streamOf(url) : undefined;
  return stream !== undefined && stream.liveId === undefined;
}

/** Returns the rights that a request needs, as `needOf` of the table of requests does, but also for streams. */
export function needOf(method: string, url: string, body: unknown): ReturnType<typeof needOfCall> {
  if (method !== STREAM_METHOD) return needOfCall(method, url, body);
  const stream = streamOf(url);
  return stream && { need: stream.need };
}

function terminalsIn(query: URLSearchParams): string[] {
  return query
    .getAll('terminals')
    .flatMap((list) => list.split(','))
    .filter((id) => id !== '');
}
