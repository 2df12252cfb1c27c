import type { Grant, GrantOptions, Machine, ReachedMachine } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';

type Right = Grant['can'][number];
type GivenRight = Pick<Grant, 'can' | 'terminals' | 'until' | 'ask'>;

/** Rights of a grant, each with its meaning. */
export const RIGHTS: ReadonlyArray<[right: Right, words: string]> = [
  ['observe', 'see terminals and their output'],
  ['type', 'type, resize'],
  ['execute', 'run commands'],
  ['create', 'create terminals'],
  ['close', 'close terminals, send signals'],
  ['record', 'recordings'],
];

/** Rights with which a machine can do all that this user can. */
export const STRONG: ReadonlySet<string> = new Set<Right>(['type', 'execute', 'create']);

const HOUR_MS = 3_600_000;

/** Lifetimes of a grant; undefined: until it is revoked. */
export const LIVES: ReadonlyArray<[words: string, ms: number | undefined]> = [
  ['an hour', HOUR_MS],
  ['a day', 24 * HOUR_MS],
  ['30 days', 30 * 24 * HOUR_MS],
  ['until it is revoked', undefined],
];

/** Choices whether a person here is asked before a grant is used. */
export const ASKS: ReadonlyArray<[ask: Grant['ask'], words: string]> = [
  ['never', 'no'],
  ['first', 'yes, the first time'],
  ['always', 'yes, each time'],
];

const ASK_WORDS: Record<Grant['ask'], string> = {
  never: '',
  first: ', asks the first time',
  always: ', asks each time',
};

function wordsOfReach(terminals: GivenRight['terminals']): string {
  if (terminals === '*') return 'all terminals';
  if (typeof terminals === 'string') return plainLabel(terminals);
  return terminals.length === 1
    ? `the terminal ${plainLabel(terminals[0]!)}`
    : `${terminals.length.toLocaleString()} terminals`;
}

/** Returns a grant in words: rights, terminals, end, and whether it asks: `observe, type: all terminals`. */
export function wordsOfGrant({ can, terminals, until, ask }: GivenRight): string {
  const end = until === null ? '' : `, until ${new Date(until).toLocaleString()}`;
  return `${can.join(', ')}: ${wordsOfReach(terminals)}${end}${ASK_WORDS[ask]}`;
}

/** Returns the grants that hold now by the clock of this browser; the clock of the owner may differ. */
export function holding<Given extends Pick<Grant, 'until'>>(grants: readonly Given[], now: number): Given[] {
  return grants.filter(({ until }) => until === null || Date.parse(until) > now);
}

/** Whether a machine may let this machine type somewhere, as far as it has reported; owners check each request themselves. */
export function maySomewhereType({ rights }: Pick<ReachedMachine, 'rights'>): boolean {
  return rights === undefined || rights.some(({ can }) => can.includes('type'));
}

/** Whether a machine asks a person there about any request of this machine. */
export function asksSomebody({ rights = [] }: Pick<ReachedMachine, 'rights'>): boolean {
  return rights.some(({ ask }) => ask !== 'never');
}

export function nameOf({ deviceName, machineId }: Pick<Machine, 'deviceName' | 'machineId'>): string {
  return plainLabel(deviceName) || machineId;
}

/** Form fields of a grant. */
export interface GrantDraft {
  to: string;
  can: ReadonlySet<string>;
  reach: 'all' | 'labels' | 'some';
  selector: string;
  ids: ReadonlySet<string>;
  /** Place in {@link LIVES}. */
  life: number;
  ask: Grant['ask'];
}

export function newGrant(to: string): GrantDraft {
  return { to, can: new Set(['observe']), reach: 'all', selector: '', ids: new Set(), life: 1, ask: 'never' };
}

/** Whether the draft is complete: it names a machine, a right and terminals. */
export function isComplete({ to, can, reach, selector, ids }: GrantDraft): boolean {
  const hasReach = reach === 'all' || (reach === 'labels' ? selector.trim() !== '' : ids.size > 0);
  return to !== '' && can.size > 0 && hasReach;
}

/** Returns the grant that a draft asks for. */
export function grantOf({ to, can, reach, selector, ids, life, ask }: GrantDraft, now: number): GrantOptions {
  const ms = LIVES[life]?.[1];
  return {
    ...{ to, ask },
    can: RIGHTS.map(([right]) => right).filter((right) => can.has(right)),
    terminals: reach === 'all' ? '*' : reach === 'labels' ? selector.trim() : [...ids],
    until: ms === undefined ? null : new Date(now + ms).toISOString(),
  };
}
