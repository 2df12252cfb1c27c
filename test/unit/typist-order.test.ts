import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../src/actors/events.js';
import { InputGate } from '../../src/actors/input-gate/input-gate.js';
import { Typist, type TypistOptions } from '../../src/actors/typist.js';
import { Submissions } from '../../src/actors/waits/submissions.js';
import { DomainError, type ErrorCode } from '../../src/contract/errors.js';
import { DEFAULT_INPUT } from '../../src/contract/input-gate.js';

const ID = 'term_1';
const NEVER = { submittedAt: undefined, promptAt: null };

/** A typist whose host answers each request with `answer`, and the submissions that the typist's events lead to. */
function rig(answer: (emit: (event: EngineEvent) => void) => Promise<boolean>) {
  const submissions = new Submissions([ID]);
  const types: string[] = [];
  const emit = (event: EngineEvent) => {
    types.push(event.type);
    submissions.onEvent(event);
  };
  const record = { id: ID, handle: 1 };
  const options = {
    registry: { running: () => record, get: () => record, find: () => record },
    events: { emit },
    audit: { begin: () => undefined, taken: () => undefined },
    gate: new InputGate({
      settings: () => DEFAULT_INPUT,
      isRunning: () => true,
      isInFlight: () => false,
      emit,
    }),
    host: async () => ({
      type: () => answer(emit),
      typeAll: async () => {
        const isRepeated = await answer(emit);
        return { failures: new Map(), repeated: new Set(isRepeated ? [0] : []) };
      },
    }),
  };
  return { typist: new Typist(options as unknown as TypistOptions), submissions, types };
}

/** Reports a prompt at this position of the output. */
const prompt = (position: number) =>
  ({ type: 'mark', id: ID, mark: { kind: 'prompt', state: { position } } }) as unknown as EngineEvent;

const failed = (code: ErrorCode) => (): Promise<boolean> => Promise.reject(new DomainError(code));
const typing = [
  ['alone', (typist: Typist) => typist.type(ID, [{ data: ')\r' }], 'api')],
  ['together', (typist: Typist) => typist.typeAll([ID], [{ data: ')\r' }], 'api')],
] as const;

describe.each(typing)('a line typed %s', (_, type) => {
  it('counts though its prompt comes before the answer of the pty host', async () => {
    const { typist, submissions, types } = rig(async (emit) => {
      emit(prompt(80));
      return false;
    });
    await type(typist);
    expect(types).toEqual(['typing', 'mark', 'typed']);
    expect(submissions.ranNothingAt(ID)).toBe(80);
  });

  it.each([
    ['refused', failed('input-buffer-full')],
    ['typed before', async () => true],
  ])('counts no more once it was %s', async (_what, answer) => {
    const { typist, submissions, types } = rig(answer);
    await type(typist).catch(() => undefined);
    expect(types).toEqual(['typing', 'untyped']);
    expect(submissions.pending(ID, NEVER)).toBe('none');
  });

  it('counts while it is unknown whether it was typed', async () => {
    const { typist, submissions, types } = rig(failed('outcome-unknown'));
    await type(typist).catch(() => undefined);
    expect(types).toEqual(['typing']);
    // The answer is never `sure`: nothing might ever follow, and a wait would not end.
    expect(submissions.pending(ID, { submittedAt: 2, promptAt: 1 })).toBe('maybe');
  });
});
