import type { FastifyRequest } from 'fastify';
import type { Audit } from '../actors/audit/audit.js';
import type { AuditFacts } from '../contract/audit.js';
import { MAX_IDEMPOTENCY_KEY_CHARS } from '../contract/limits.js';
import type { Principal } from '../contract/principal.js';
import type { SettingsPatch } from '../contract/settings.js';
import type { App } from './validation.js';

/** Statuses with which a request is refused; such requests are logged even if they would change nothing. */
const REFUSED: ReadonlySet<number> = new Set([401, 403, 423, 429]);

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Routes that type into one terminal: typed input has lines of its own, so only their failures are logged here. */
const TYPING = /^\/api\/terminals\/:id\/(input|execute|prompt|keys)$/;

/** Maximum number of ids of created terminals in one line. */
const MAX_IDS = 1_000;

/** Maximum characters of a text of the client in a line: as many as of a key, where it is checked. */
const MAX_TEXT_CHARS = MAX_IDEMPOTENCY_KEY_CHARS;

export interface AuditHookOptions {
  audit: Pick<Audit, 'add' | 'strangers' | 'ensure' | 'isOn'>;
  /** Returns the sender of a request. */
  who: (request: FastifyRequest) => Principal;
}

/**
 * Adds a line to the audit log for each request that changes something or was refused, before its answer is sent: an
 * answer that a client has got is in the log, even if the service is killed right afterwards.
 *
 * Of requests whose senders nobody knows, only a bounded number in each window gets lines, and one line says how many
 * did not: the size of the log is limited, so a stranger could otherwise drive all older lines out of it.
 */
export function useAudit(app: App, { audit, who }: AuditHookOptions): void {
  app.addHook('preHandler', async (request) => {
    if (!SAFE.has(request.method) && !endsDuty(request)) audit.ensure();
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const { statusCode } = reply;
    if (!audit.isOn || (SAFE.has(request.method) && !REFUSED.has(statusCode))) return payload;
    const answer = answerOf(payload);
    const code = typeof answer?.code === 'string' ? answer.code : undefined;
    const route = request.routeOptions.url;
    if (route !== undefined && TYPING.test(route) && code === undefined) return payload;
    if (request.isStrange && !audit.strangers.admit()) return payload;
    const facts: AuditFacts = {
      action: `${request.method} ${route ?? '(unknown)'}`,
      by: who(request),
      via: viaOf(request),
      ...terminalsOf(request, answer),
      ...tokenOf(request, answer),
      ...requestOf(request),
      ...(isPatchOfSettings(request) && { settings: namesIn(request.body) }),
      ...(reply.hasHeader('idempotent-replayed') && { repeated: true as const }),
      status: statusCode,
      ...(code !== undefined && { code }),
    };
    audit.add(facts);
    return payload;
  });
}

/** Returns whether a request turns off what refuses requests without a line: it must not be refused for that itself. */
function endsDuty({ method, routeOptions, body }: FastifyRequest): boolean {
  if (!isPatchOfSettings({ method, routeOptions })) return false;
  const { audit } = body as SettingsPatch;
  if (audit === undefined) return false;
  // null resets a setting, or all of them, to the default, which is off.
  if (audit === null) return true;
  return [audit.enabled, audit.required].some((value) => value === false || value === null);
}

function isPatchOfSettings({
  method,
  routeOptions,
}: Pick<FastifyRequest, 'method' | 'routeOptions'>): boolean {
  return method === 'PATCH' && routeOptions.url === '/api/settings';
}

function viaOf({ isFromDashboard, fromMachine, raw }: FastifyRequest): AuditFacts['via'] {
  if (fromMachine !== undefined) return 'fleet';
  if (isFromDashboard) return 'dashboard';
  return raw.socket.remoteAddress === undefined ? 'socket' : 'api';
}

function requestOf({ headers }: FastifyRequest): Pick<AuditFacts, 'request'> {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? { request: cut(key) } : {};
}

function cut(text: string): string {
  return text.slice(0, MAX_TEXT_CHARS);
}

/** Returns the token that a request has made or deleted. */
function tokenOf(
  { params, routeOptions }: FastifyRequest,
  answer: Record<string, unknown> | undefined,
): Pick<AuditFacts, 'tokenId'> {
  if (!routeOptions.url?.startsWith('/api/tokens')) return {};
  const id = (params as { id?: string } | null)?.id ?? answer?.id;
  return typeof id === 'string' ? { tokenId: cut(id) } : {};
}

/** Returns the terminal that a request names, or those that it has created. */
function terminalsOf(
  { params, method, routeOptions }: FastifyRequest,
  answer: Record<string, unknown> | undefined,
): Pick<AuditFacts, 'terminalId' | 'terminalIds'> {
  const { url = '' } = routeOptions;
  const { id } = (params ?? {}) as { id?: string };
  if (url.startsWith('/api/terminals/:id')) return id === undefined ? {} : { terminalId: cut(id) };
  if (method !== 'POST' || !answer) return {};
  if (url === '/api/terminals' && typeof answer.id === 'string') return { terminalId: answer.id };
  const results: unknown[] = Array.isArray(answer.results) ? answer.results : [];
  const ids = results.map(idIn).filter((each) => typeof each === 'string');
  return ids.length > 0 ? { terminalIds: ids.slice(0, MAX_IDS) } : {};
}

/** Returns the terminal that a result is about, as the answers of batches have it. */
function idIn(result: unknown): unknown {
  const { terminalId, terminal } = (result ?? {}) as { terminalId?: unknown; terminal?: { id?: unknown } };
  return terminalId ?? terminal?.id;
}

/** Names of the settings in a patch, never their values. */
function namesIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([section, keys]) =>
    typeof keys === 'object' && keys !== null
      ? Object.keys(keys).map((key) => `${section}.${key}`)
      : [section],
  );
}

function answerOf(payload: unknown): Record<string, unknown> | undefined {
  if (typeof payload !== 'string' || !payload.startsWith('{')) return undefined;
  return JSON.parse(payload) as Record<string, unknown>;
}
