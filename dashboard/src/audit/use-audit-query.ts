import { useSearchParams } from 'wouter';
import type { AuditQuery } from '../../../src/client/browser.js';

const HOUR_MS = 3_600_000;

/** Spans of time that the lines cover, by their names in the address. */
export const SPANS: ReadonlyArray<[name: string, words: string, ms: number]> = [
  ['hour', 'the last hour', HOUR_MS],
  ['day', 'the last day', 24 * HOUR_MS],
  ['week', 'the last week', 7 * 24 * HOUR_MS],
  ['all', 'all that is kept', Number.POSITIVE_INFINITY],
];

/** Part of the audit log that the page shows. */
export interface AuditFilter {
  terminal: string;
  by: string;
  action: string;
  span: string;
}

/** Returns the filter, which is in the page's address, so that a link restores all of it. */
export function useAuditFilter(): [AuditFilter, (change: Partial<AuditFilter>) => void] {
  const [parameters, setParameters] = useSearchParams();
  const span = parameters.get('span');
  const filter: AuditFilter = {
    terminal: parameters.get('terminal') ?? '',
    by: parameters.get('by') ?? '',
    action: parameters.get('action') ?? '',
    span: SPANS.some(([name]) => name === span) ? span! : 'day',
  };
  const change = (part: Partial<AuditFilter>) => {
    const next = { ...filter, ...part };
    const said = Object.entries({ ...next, span: next.span === 'day' ? '' : next.span });
    setParameters(new URLSearchParams(said.filter(([, value]) => value !== '')), { replace: true });
  };
  return [filter, change];
}

/** Returns the query to the service. */
export function queryOf({ terminal, by, action, span }: AuditFilter, now: number): AuditQuery {
  const [, , ms] = SPANS.find(([name]) => name === span) ?? SPANS[1]!;
  return {
    terminal: terminal || undefined,
    by: by || undefined,
    action: action || undefined,
    since: Number.isFinite(ms) ? now - ms : undefined,
  };
}
