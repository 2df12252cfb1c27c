import { describe, expect, it } from 'vitest';
import { limitRows, wordsOfObstacle } from '../../dashboard/src/admission/limit-words.js';
import {
  countUpTo,
  endsOf,
  outcomeOf,
  rowsOf,
  wordsOfAction,
} from '../../dashboard/src/audit/audit-words.js';
import { queryOf } from '../../dashboard/src/audit/use-audit-query.js';
import { NEW_TOKEN, tokenOf, wordsOfReach } from '../../dashboard/src/tokens/token-words.js';
import {
  NEW_WATCH,
  stateOfWebhook,
  typesOf,
  watchOf,
  wordsOfAttempt,
  wordsOfWatch,
} from '../../dashboard/src/watches/watch-words.js';
import type {
  AuditEntry,
  LimitsAnswer,
  TokenInfo,
  WatchInfo,
  WebhookAttempt,
  WebhookInfo,
} from '../../src/client/index.js';

describe('a line of the audit log', () => {
  const line = (n: number, facts: Partial<AuditEntry>): AuditEntry => ({
    ...{ n, at: 0, prev: '', action: 'type' },
    ...facts,
  });
  const log = [
    line(1, {}),
    line(2, { action: 'audit.opened' }),
    line(4, {}),
    line(5, { action: 'untyped', of: 4, code: 'lease-lost' }),
    line(7, {}),
    line(8, { action: 'typed', of: 7, bytes: 1 }),
    line(9, {}),
  ];
  const words = (isComplete: boolean) => {
    const ends = endsOf(log, isComplete);
    return log.map((each) => outcomeOf(each, ends).words);
  };

  it('about a text says what became of it, and claims nothing where the lines that say it may be left out', () => {
    const [died, , lost, untyped, typed, end, open] = words(true);
    expect([died, lost, untyped, typed, end, open]).toEqual([
      ...['nobody knows', 'not typed: lease-lost', 'not typed: lease-lost'],
      ...['typed', 'typed', 'not known yet'],
    ]);
    const filtered = words(false);
    expect([filtered[0], filtered[6]]).toEqual(['', '']);
  });

  it('says what was done', () => {
    const said = (facts: Partial<AuditEntry>) => wordsOfAction(line(1, facts));
    expect(said({ action: 'typed', secret: true })).toBe('typed a secret, of which nothing is kept');
    expect(said({ action: 'typed', text: 'a\u202e\r', redacted: true })).toBe('typed "a", secrets replaced');
    expect(said({ action: 'PATCH /api/settings', settings: ['access.mode'] })).toBe(
      'PATCH /api/settings: access.mode',
    );
    expect(said({ action: 'of a later version' })).toBe('of a later version');
    const refused = line(1, { action: 'DELETE /api/terminals/:id', status: 403, code: 'verb-missing' });
    expect(outcomeOf(refused, endsOf([], true))).toEqual({ words: '403 verb-missing', isBad: true });
  });

  it('about what became of a text is in the row of the text, if that is shown', () => {
    expect(rowsOf(log).map(({ n }) => n)).toEqual([1, 2, 4, 7, 9]);
    expect(rowsOf(log.slice(3)).map(({ n }) => n)).toEqual([5, 7, 9]);
  });

  it('is counted up to the one that is held', () => {
    expect([0, 1, 3, 4, 9, 10].map((n) => countUpTo(log, n))).toEqual([0, 1, 2, 3, 7, 7]);
  });

  it('is asked for by what the form says', () => {
    const all = { terminal: '', by: '', action: '', span: 'all' };
    expect(queryOf(all, 7)).toEqual({ since: undefined });
    expect(queryOf({ ...all, by: 'agent', span: 'hour' }, 3_600_007)).toEqual({ by: 'agent', since: 7 });
  });
});

describe('a token', () => {
  it('is asked for with what was filled in, verbs in their order', () => {
    const verbs = new Set(['run', 'read']);
    expect(tokenOf({ ...NEW_TOKEN, name: 'ci', verbs, selector: 'left=over' })).toEqual({
      ...{ name: 'ci', verbs: ['read', 'run'], expiresInMs: 86_400_000 },
    });
    expect(tokenOf({ ...NEW_TOKEN, reach: 'labels', selector: ' team=a ', maxTerminals: '0' })).toMatchObject(
      {
        selector: 'team=a',
        maxTerminals: 0,
      },
    );
    expect(tokenOf({ ...NEW_TOKEN, reach: 'own' })).toMatchObject({ own: true });
  });

  it('says which terminals it reaches', () => {
    const token = { selector: null, own: false, terminalId: null } as TokenInfo;
    const of = (facts: Partial<TokenInfo>) => wordsOfReach({ ...token, ...facts });
    expect(of({})).toBe('all');
    expect(of({ own: true })).toBe('those created with it');
    expect(of({ selector: 'team=a' })).toBe('team=a');
    expect(of({ own: true, terminalId: 'term_1' })).toBe('its own terminal, and those created with it');
  });
});

describe('a watch and a webhook', () => {
  it('are asked for with what was filled in', () => {
    expect(watchOf({ ...NEW_WATCH, pattern: 'x', terminal: 'left over' })).toEqual({
      ...{ text: 'x', once: false, actions: [] },
    });
    const draft = {
      ...NEW_WATCH,
      pattern: 'x',
      isRegex: true,
      reach: 'terminal' as const,
      terminal: 'term_1',
    };
    expect(watchOf({ ...draft, webhook: 'wh_1', into: 'term_2', line: 'look' })).toEqual({
      ...{ regex: 'x', terminals: ['term_1'], once: false },
      actions: [
        { type: 'webhook', webhookId: 'wh_1' },
        { type: 'input', terminalId: 'term_2', text: 'look' },
      ],
    });
    expect(typesOf(' agent.*, run.finished\n')).toEqual(['agent.*', 'run.finished']);
  });

  it('say what they do now', () => {
    const watch = {
      ended: null,
      isTooSlow: false,
      gaps: 0,
      leftOut: 0,
      waitingInput: [],
    } as unknown as WatchInfo;
    expect(wordsOfWatch(watch)).toEqual(['searches']);
    expect(wordsOfWatch({ ...watch, ended: 'once', gaps: 1 })).toEqual([
      'ended by its first match',
      'output may have been missed once',
    ]);
    const waitingInput = [{ terminalId: 'term_1', count: 2, since: 0, reason: 'waiting' as const }];
    expect(wordsOfWatch({ ...watch, waitingInput })).toEqual([
      'searches',
      'a line waits to be typed: the agent has a question',
    ]);
    const webhook = { enabled: true, isGone: false, retrying: 0, behind: 0 } as WebhookInfo;
    expect(stateOfWebhook(webhook)).toEqual({ words: 'on', isBad: false });
    expect(stateOfWebhook({ ...webhook, retrying: 2 })).toEqual({
      words: '2 to be tried again',
      isBad: true,
    });
    expect(stateOfWebhook({ ...webhook, enabled: false, isGone: true }).words).toBe('ended by its receiver');
    const attempt = { outcome: 'retrying', status: 500, error: null } as WebhookAttempt;
    expect(wordsOfAttempt(attempt)).toBe('will be tried again, status 500');
    expect(wordsOfAttempt({ ...attempt, error: 'answered 500' })).toBe('will be tried again: answered 500');
    expect(wordsOfAttempt({ ...attempt, outcome: 'dead', status: null, error: 'no answer\u202e' })).toBe(
      'given up: no answer',
    );
  });
});

describe('the limits of new terminals', () => {
  const limits: LimitsAnswer = {
    terminals: { running: 3, starting: 1, max: 4 },
    perLabel: [{ selector: 'role=agent', terminals: 1, max: 2 }],
    memory: { availableBytes: null, minAvailable: 1_024, pressure: 30, maxPressure: 20 },
    ...{ unknown: ['minAvailableMemory'], queue: { length: 0, max: 1_000, waiting: [] }, refused: 0 },
  };

  it('say what is in use, and which are reached; one whose figure is unknown is not', () => {
    expect(limitRows(limits).map(({ now, limit, isReached }) => [now, limit, isReached])).toEqual([
      ['3 run, 1 start', 'at most 4', true],
      ['1 run or start', 'at most 2', false],
      ['unknown', expect.stringMatching(/^at least 1/), false],
      ['30.0 %', 'at most 20.0 %', true],
    ]);
    const none = { ...limits, terminals: { running: 0, starting: 0, max: null }, perLabel: [] };
    expect(limitRows(none)[0]).toMatchObject({ now: '0 run', limit: undefined, isReached: false });
  });

  it('say what a creation waits for', () => {
    const obstacle = { limit: 'perLabel' as const, selector: 'role=agent', value: 2, max: 2 };
    expect(wordsOfObstacle(obstacle)).toBe('2 of at most 2 with role=agent run or start');
    expect(wordsOfObstacle({ limit: 'pace', value: 1 })).toMatch(/a few are created a second/);
  });
});
