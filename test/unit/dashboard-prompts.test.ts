import { describe, expect, it } from 'vitest';
import {
  beginningOf,
  faultOf,
  lastEnded,
  NEW_PROMPT,
  queueOptions,
  untilDue,
  wordsOfEnd,
  wordsOfQueue,
  wordsOfWait,
} from '../../dashboard/src/prompts/prompt-words.js';
import { wordsOfRefusal } from '../../dashboard/src/refusals.js';
import { ApiError, type PromptInfo } from '../../src/client/browser.js';

const queued: PromptInfo = {
  ...{ id: 'pr_1', terminalId: 'term_1', prompt: 'make it so', promptChars: 10 },
  ...{ when: 'free', state: 'queued', reason: null, position: 1, waitsFor: 'ready', at: null },
  ...{ expiresAt: null, by: { kind: 'user', verified: false }, createdAt: 1, typedAt: null, endedAt: null },
};
const endedAt = (time: number): PromptInfo => ({ ...queued, state: 'submitted', endedAt: time });

describe('the prompts of a terminal', () => {
  it('are counted while they have not ended, and said to be held up by one that stalled', () => {
    expect(wordsOfQueue([])).toBeUndefined();
    expect(wordsOfQueue([endedAt(5)])).toBeUndefined();
    expect(wordsOfQueue([queued, endedAt(5)])).toBe('1 prompt queued');
    expect(wordsOfQueue([queued, { ...queued, state: 'typing' }])).toBe('2 prompts queued');
    expect(wordsOfQueue([{ ...queued, waitsFor: 'stalled' }])).toBe('1 prompt queued, held up');
  });

  it('are told by their beginning, in one line that cannot pass for more', () => {
    expect(beginningOf({ prompt: '\n one\n\ttwo\u202e ' })).toBe('one two');
    expect(beginningOf({ prompt: 'x'.repeat(200) })).toMatch(/^x{79}…$/);
  });

  it('say when they are typed, and what they wait for', () => {
    expect(wordsOfWait({ ...queued, when: 'agent-idle', waitsFor: 'gate' })).toBe(
      'once the agent is idle · a person types, or another program has the terminal',
    );
    expect(wordsOfWait({ ...queued, when: 'command-end', waitsFor: 'time' })).toBe(
      'once the command has ended',
    );
    expect(wordsOfWait({ ...queued, state: 'typing', waitsFor: null })).toBe('is being typed');
  });

  it('say in words how they have ended', () => {
    expect(wordsOfEnd({ state: 'cancelled', reason: 'requested' })).toBe('cancelled');
    expect(wordsOfEnd({ state: 'cancelled', reason: 'token-ended' })).toMatch(/the token that queued it/);
    expect(wordsOfEnd({ state: 'stalled', reason: 'no-reaction' })).toMatch(/the agent did not begin/);
    expect(wordsOfEnd({ state: 'unknown', reason: 'restarted' })).toMatch(/the service ended/);
    expect(wordsOfEnd({ state: 'unknown', reason: 'outcome-unknown' })).toMatch(/may or may not/);
    expect(wordsOfEnd({ state: 'expired', reason: null })).toBe('expired: nothing was typed');
  });

  it('that ended last come first', () => {
    const listed = [endedAt(3), queued, endedAt(9), endedAt(5)];
    expect(lastEnded(listed, 2).map((prompt) => prompt.endedAt)).toEqual([9, 5]);
  });

  it('are read again when the first of them is due, which no event tells', () => {
    expect(untilDue([queued], 0)).toBe(false);
    const dueAt = (at: number): PromptInfo => ({ ...queued, waitsFor: 'time', at });
    expect(untilDue([dueAt(9_000), dueAt(5_000), queued], 1_000)).toBe(4_000);
    expect(untilDue([dueAt(0)], 5_000)).toBe(1_000);
    expect(untilDue([dueAt(30 * 86_400_000)], 0)).toBe(2 ** 31 - 1);
  });
});

describe('a prompt that a person writes', () => {
  it('asks only for the times that were given', () => {
    expect(queueOptions(NEW_PROMPT)).toEqual({ when: 'free' });
    expect(queueOptions({ ...NEW_PROMPT, afterMinutes: '5', expiresMinutes: '90' })).toEqual({
      ...{ when: 'free', afterMs: 300_000, expiresInMs: 5_400_000 },
    });
  });

  it('cannot expire before it is due', () => {
    expect(faultOf({ ...NEW_PROMPT, afterMinutes: '5', expiresMinutes: '5' })).toMatch(/before it is due/);
    expect(faultOf({ ...NEW_PROMPT, afterMinutes: '5', expiresMinutes: '6' })).toBeUndefined();
    expect(faultOf({ ...NEW_PROMPT, expiresMinutes: '5' })).toBeUndefined();
  });

  it('and that is refused says why in words', () => {
    const refusal = (status: number, code: string) =>
      new ApiError({ status, code, message: 'x', details: {} });
    expect(wordsOfRefusal(refusal(429, 'too-many-prompts'))).toMatch(/too many prompts wait/);
    expect(wordsOfRefusal(refusal(409, 'prompt-not-queued'))).toMatch(/being typed, or has ended/);
    expect(wordsOfRefusal(refusal(403, 'verb-missing'))).toBe('you may not do this');
  });
});
