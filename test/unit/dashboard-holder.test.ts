import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../dashboard/src/batch/groups.js';
import { wordsOfPrincipal } from '../../dashboard/src/fleet/principal.js';
import { exitWords } from '../../dashboard/src/fleet/words.js';
import { wordsOfRefusal } from '../../dashboard/src/refusals.js';
import { linesOfLine, wordsOfHolder, wordsOfLine } from '../../dashboard/src/terminal/holder-words.js';
import { wordsOfPhase } from '../../dashboard/src/terminal/session-state.js';
import {
  ApiError,
  type LeaseState,
  type Principal,
  type RunResult,
  Typist,
} from '../../src/client/browser.js';

const agent: Principal = { kind: 'agent', name: 'builder', terminalId: 'term_1', verified: true };
const person: Principal = { kind: 'user', verified: false };
const free: LeaseState = {
  ...{ holder: null, fence: null, expiresAt: null, reason: null },
  ...{ humanAt: null, draft: false, queued: 0, queue: [] },
};

describe('who has a terminal', () => {
  it('is said by name and kind, without what a name could hide', () => {
    expect(wordsOfHolder(free, false)).toBeUndefined();
    expect(wordsOfHolder({ ...free, holder: agent, reason: 'a\u202eb' }, false)).toBe(
      'The program in builder has it: ab',
    );
    expect(wordsOfHolder({ ...free, holder: person }, true)).toBe('You have it: no program can type here');
    expect(wordsOfPrincipal({ kind: 'service', token: { id: 'tok_1', name: 'ci\n' }, verified: false })).toBe(
      'a client of the API, token ci',
    );
  });

  it('is said of those who wait, in their order', () => {
    const queue = [
      { wants: 'lease' as const, who: agent },
      { wants: 'type' as const, who: { kind: 'mcp' as const, verified: false } },
    ];
    expect(wordsOfLine({ queue: [] })).toBeUndefined();
    expect(wordsOfLine({ queue: queue.slice(0, 1) })).toBe('1 waits');
    expect(wordsOfLine({ queue })).toBe('2 wait');
    expect(linesOfLine({ queue })).toBe(
      '1. the program in builder, to have it\n2. a tool client (MCP), to type',
    );
  });
});

describe('a refusal', () => {
  const refusal = (code: string, details = {}) =>
    new ApiError({ status: 423, code, message: 'as the service says', details });

  it('by a lock says who has the terminal, and when to try again', () => {
    const details = { holder: agent, draft: false, retryAfterMs: 1_200 };
    expect(wordsOfRefusal(refusal('locked', details))).toBe(
      'the program in builder has the terminal; nothing was typed. Try again in 2s',
    );
    expect(wordsOfRefusal(refusal('locked', { holder: null, draft: true }))).toBe(
      'somebody else has the terminal, and a half-typed line stands there; nothing was typed.',
    );
  });

  it('of another kind has its meaning, and one that is not known the words of the service', () => {
    expect(wordsOfRefusal(refusal('agent-waiting'))).toMatch(/its agent has a question/);
    expect(wordsOfRefusal(refusal('agent-busy'))).toMatch(/Try again once it is idle/);
    expect(wordsOfRefusal(refusal('outside-scope'))).toMatch(/you may not do this/);
    expect(wordsOfRefusal(refusal('terminal-not-found'))).toBeUndefined();
    expect(wordsOfRefusal(new Error('locked'))).toBeUndefined();
  });

  it('in a batch is told in the row of its terminal', () => {
    const result: RunResult = {
      ...{ terminalId: 'term_1', success: false, done: false, exitCode: null, durationMs: null },
      ...{ raw: '', truncated: false, integration: 'none', waitedBy: null },
      ...{ error: 'The terminal is busy: nothing was typed', code: 'locked' },
    };
    const row = { terminalId: 'term_1', name: 'one', output: '', result };
    expect(outcomeOf(row)).toBe('somebody else has the terminal; nothing was typed');
    expect(outcomeOf({ ...row, result: { ...result, code: 'not-typed' } })).toBe(result.error);
  });
});

describe('what a person types', () => {
  it('is on its way until the service has it', async () => {
    let taken = () => {};
    const typist = new Typist(
      () =>
        new Promise((resolve) => {
          taken = resolve;
        }),
      () => {},
    );
    typist.isOpen = true;
    const isTyping = () => typist.typing !== undefined;
    const before = isTyping();
    typist.type('a');
    expect([before, isTyping()]).toEqual([false, true]);
    taken();
    await expect.poll(isTyping).toBe(false);
  });

  it('and the service refuses is reported with the reason; without a connection, with none', async () => {
    const reported: unknown[] = [];
    const refusal = new ApiError({ status: 503, code: 'audit-unavailable', message: 'x', details: {} });
    await new Promise<void>((resolve) => {
      const typist = new Typist(
        () => Promise.reject(refusal),
        (...given) => {
          reported.push(given);
          if (given.length === 2) resolve();
        },
      );
      typist.type('a');
      typist.isOpen = true;
      typist.type('b');
    });
    expect(reported).toEqual([[1], [1, refusal]]);
    expect(wordsOfRefusal(refusal)).toMatch(/the audit log cannot be written/);
  });
});

describe('the end of a program', () => {
  it('says when no memory was left', () => {
    const end = { exitCode: null, signal: 'SIGKILL' };
    expect(wordsOfPhase({ name: 'exited', ...end, oomKilled: true })).toMatch(/SIGKILL.*no memory was left/);
    expect(wordsOfPhase({ name: 'exited', ...end, oomKilled: false })).toBe(
      'The program was ended by SIGKILL',
    );
    expect(exitWords({ ...end, oomKilled: true })).toBe('ended by SIGKILL: out of memory');
    expect(exitWords({ exitCode: 3 })).toBe('exit 3');
  });
});
