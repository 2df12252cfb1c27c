import { SELF } from '../contract/fleet.js';
import { Right } from '../contract/fleet-machines.js';
import type { Need } from './rights.js';

/** A route that other machines may call, with the rights that a request to it needs. */
interface Route {
  method: string;
  pattern: RegExp;
  /** Returns the rights that a request needs; undefined refuses the request. */
  need: (params: Record<string, string>, body: unknown, query: string) => Need | undefined;
  /** Key under which the answer lists terminals; the other machine gets only terminals that it may observe. */
  lists?: string;
}

/** Path segment in the form of our ids, without anything that a router could decode differently. */
const SEGMENT = '[A-Za-z0-9_~:-][A-Za-z0-9._~:-]*';

/** Printable ASCII without `#`. */
const PLAIN = /^[!"$-~]+$/;

function route(text: string, need: Route['need'], lists?: string): Route {
  const [method = '', path = ''] = text.split(' ');
  const pattern = new RegExp(
    `^${path.replace(/:(\w+)/g, (_name, name: string) => `(?<${name}>${SEGMENT})`)}$`,
  );
  return { method, pattern, need, ...(lists !== undefined && { lists }) };
}

/** The right for the terminal in the path. */
const named =
  (...rights: Right[]) =>
  ({ id, terminalId }: Record<string, string>): Need => ({ rights, reach: [id ?? terminalId ?? ''] });

/** The right for the terminal that the body names. */
const inBody =
  (...rights: Right[]) =>
  (_params: unknown, body: unknown): Need | undefined => {
    const { terminalId } = objectOf(body);
    return typeof terminalId === 'string' ? { rights, reach: [terminalId] } : undefined;
  };

/** The right for all terminals, since the request may be about any. */
const all =
  (...rights: Right[]) =>
  (): Need => ({ rights, reach: 'all' });

/**
 * All that another machine may ever do here; any other request is refused. Never in the table: settings, tokens, changes
 * of profiles, the fleet's administration, `/api/machines`, by which a machine would forward requests, and changes of
 * labels, by which it would widen a grant.
 */
const ROUTES: readonly Route[] = [
  route('GET /api/terminals', listNeed, 'terminals'),
  route('POST /api/terminals', all('create')),
  route('GET /api/terminals/:id', named('observe')),
  route('DELETE /api/terminals/:id', named('close')),
  route('POST /api/terminals/changes', (_params, body) => ({
    rights: ['observe'],
    reach: Object.keys(objectOf(objectOf(body).cursors)),
  })),
  route('GET /api/terminals/:id/size', named('observe')),
  route('GET /api/terminals/:id/output', named('observe')),
  route('GET /api/terminals/:id/snapshot', named('observe')),
  route('GET /api/terminals/:id/capture', named('observe')),
  route('GET /api/terminals/:id/screenshot', named('observe')),
  route('GET /api/terminals/:id/commands', named('observe')),
  route('GET /api/terminals/:id/commands/:commandId/output', named('observe')),
  route('GET /api/terminals/:id/agent/explain', named('observe')),
  route('POST /api/terminals/:id/wait', named('observe')),
  // Before the routes with an id, since "batch" would be taken for one.
  route(
    'POST /api/terminals/batch/input',
    manyNeed('type', ({ terminalIds }) => ({ terminalIds })),
  ),
  route(
    'POST /api/terminals/batch/execute',
    manyNeed('type', ({ terminalIds }) => ({ terminalIds })),
  ),
  route('POST /api/terminals/:id/input', named('type')),
  route('POST /api/terminals/:id/keys', named('type')),
  route('POST /api/terminals/:id/execute', named('type')),
  route('POST /api/terminals/:id/prompt', named('type')),
  route('POST /api/terminals/:id/size', named('type')),
  route('POST /api/terminals/:id/resize', named('type')),
  route('POST /api/terminals/:id/resize-reflow', named('type', 'observe')),
  route('POST /api/terminals/:id/signal', named('close')),
  route(
    'POST /api/terminals/batch/run',
    manyNeed('execute', ({ terminalIds, runs }) => ({ terminalIds, runs })),
  ),
  route(
    'POST /api/terminals/wait',
    manyNeed('observe', ({ terminalIds }) => ({ terminalIds })),
  ),
  route('GET /api/runs/:runId', all('execute')),
  route('POST /api/runs/:runId/cancel', all('execute')),
  // A machine may always ask for its own rights.
  route('GET /api/fleet/rights', () => ({ rights: [], reach: [] })),
  // A machine with any right to a terminal may know that the terminal is here.
  route('GET /api/fleet/terminals/:id', ({ id = '' }) => ({
    ...{ rights: Right.options, reach: [id], isAnyEnough: true },
  })),
  route('POST /api/fleet/execute', executeNeed),
  route('POST /api/fleet/screen', inBody('observe')),
  route('POST /api/fleet/close', inBody('close')),
  route('GET /api/recordings', all('record')),
  route('GET /api/recordings/active', all('record')),
  route('GET /api/recordings/:id/info', all('record')),
  route('POST /api/recordings/:id/export', all('record')),
  route('GET /api/recordings/status/:terminalId', named('record')),
  route('POST /api/recordings/start', (_params, body) => {
    const { terminal_id: id } = objectOf(body);
    return typeof id === 'string' ? { rights: ['record'], reach: [id] } : undefined;
  }),
  route('POST /api/recordings/stop/:id', all('record')),
  route('GET /api/system/info', all('observe')),
];

/** Rights that a request needs, and how its answer is treated. */
export interface Needed {
  need: Need;
  /** The key under which its answer lists terminals. */
  lists?: string | undefined;
  /** The run that it is about. */
  runId?: string | undefined;
}

/** Returns every route of the table, as `METHOD /pattern`. */
export function openRoutes(): string[] {
  return ROUTES.map(({ method, pattern }) => `${method} ${pattern.source}`);
}

/**
 * Returns the rights that a request needs, and the key under which its answer lists terminals; undefined for a request
 * that no machine may send.
 *
 * @param url - path and query
 * @param body - parsed; undefined when there is none
 */
export function needOf(method: string, url: string, body: unknown): Needed | undefined {
  // The server of the request drops blanks, control characters and all from `#` on, which would be taken for a part of a
  // name here.
  if (!PLAIN.test(url)) return undefined;
  const [path = ''] = url.split('?', 1);
  const query = url.slice(path.length);
  // A request from another machine must end at this one: a machine that its body names would be a third machine.
  const { machineId = SELF, targetOS, machines } = objectOf(body);
  if (machineId !== SELF || targetOS !== undefined || machines !== undefined) return undefined;
  for (const { method: own, pattern, need: needOfRoute, lists } of ROUTES) {
    const match = own === method ? pattern.exec(path) : null;
    if (!match) continue;
    const need = needOfRoute(match.groups ?? {}, body, query);
    return need && { need, lists, runId: match.groups?.runId };
  }
  return undefined;
}

/** A list shows only terminals that may be observed, but the cursor of a page names its last terminal, shown or not. */
function listNeed(_params: unknown, _body: unknown, query: string): Need {
  const asked = new URLSearchParams(query);
  return { rights: ['observe'], reach: asked.has('limit') || asked.has('after') ? 'all' : [] };
}

/**
 * The right for the terminals that the body names by their ids; for a selector, for all.
 *
 * @param idsIn - returns the fields with ids that the route reads; ids in any other field count for nothing
 */
function manyNeed(
  right: Right,
  idsIn: (body: Record<string, unknown>) => { terminalIds: unknown; runs?: unknown },
): Route['need'] {
  return (_params, body) => {
    const { terminalIds, runs } = idsIn(objectOf(body));
    const isBySelector = objectOf(body).selector !== undefined;
    if (isBySelector || (terminalIds === undefined && runs === undefined))
      return { rights: [right], reach: 'all' };
    const named = [terminalIds ?? [], runs ?? []];
    if (!named.every((list) => Array.isArray(list))) return undefined;
    const [ids, own] = named as [unknown[], unknown[]];
    const reach = [...ids, ...own.map((each) => objectOf(each).terminalId)];
    return reach.length > 0 && reach.every((id) => typeof id === 'string')
      ? { rights: [right], reach }
      : undefined;
  };
}

/** Without a terminal the command gets a new one. */
function executeNeed(_params: unknown, body: unknown): Need | undefined {
  const { terminalId } = objectOf(body);
  if (terminalId === undefined) return { rights: ['execute', 'create'], reach: 'all' };
  return typeof terminalId === 'string' ? { rights: ['execute'], reach: [terminalId] } : undefined;
}

function objectOf(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
}
