import { describe, expect, it } from 'vitest';
import { repeatUnknown } from '../../src/actors/runs/repeat-unknown.js';
import { DomainError, type ErrorCode } from '../../src/contract/errors.js';
import { TYPING_TRIES } from '../../src/contract/limits.js';

/** Types with these outcomes, one for each call, and then successfully; counts the calls. */
function typing(...outcomes: ErrorCode[]) {
  let calls = 0;
  const type = async () => {
    const code = outcomes[calls++];
    if (code) throw new DomainError(code);
  };
  return { type, calls: () => calls };
}

const { signal } = new AbortController();

describe('typing of which the outcome may be unknown', () => {
  it('is repeated until the pty host answers', async () => {
    const { type, calls } = typing('outcome-unknown', 'unavailable');
    await repeatUnknown(type, signal);
    expect(calls()).toBe(3);
  });

  it('is not repeated once something else shows that it was typed', async () => {
    const { type, calls } = typing('outcome-unknown', 'outcome-unknown');
    await repeatUnknown(type, signal, () => calls() === 1);
    expect(calls()).toBe(1);
  });

  it('is not repeated after any other error', async () => {
    const { type, calls } = typing('input-buffer-full');
    await expect(repeatUnknown(type, signal)).rejects.toMatchObject({ code: 'input-buffer-full' });
    expect(calls()).toBe(1);
  });

  it('stays unknown if a repetition fails: the first attempt may have been typed', async () => {
    const { type, calls } = typing('outcome-unknown', 'terminal-not-found');
    await expect(repeatUnknown(type, signal)).rejects.toMatchObject({ code: 'outcome-unknown' });
    expect(calls()).toBe(2);
  });

  it('is unknown if any attempt may have typed, and has the last error if none has', async () => {
    const { type } = typing('unavailable', 'outcome-unknown', 'terminal-not-found');
    await expect(repeatUnknown(type, signal)).rejects.toMatchObject({ code: 'outcome-unknown' });
    const refused = typing('unavailable', 'terminal-not-found');
    await expect(repeatUnknown(refused.type, signal)).rejects.toMatchObject({ code: 'terminal-not-found' });
  });

  it('is given up after TYPING_TRIES, and not repeated once the signal has fired', async () => {
    const never = Array.from({ length: 2 * TYPING_TRIES }, () => 'outcome-unknown' as const);
    const patient = typing(...never);
    await expect(repeatUnknown(patient.type, signal)).rejects.toMatchObject({ code: 'outcome-unknown' });
    expect(patient.calls()).toBe(TYPING_TRIES);
    const hurried = typing(...never);
    await expect(repeatUnknown(hurried.type, AbortSignal.abort())).rejects.toMatchObject({
      code: 'outcome-unknown',
    });
    expect(hurried.calls()).toBe(1);
  });
});
