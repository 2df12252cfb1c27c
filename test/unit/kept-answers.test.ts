import { describe, expect, it } from 'vitest';
import { type KeptAnswer, KeptAnswers, type KeptAnswersOptions } from '#dist/gateway/kept-answers.js';

const answer = (text: string, status = 200): KeptAnswer => ({
  status,
  type: 'application/json',
  body: Buffer.from(text),
});

/** Answers kept by a clock that the test sets. */
function create(options: Partial<KeptAnswersOptions> = {}) {
  const clock = { now: 0 };
  const kept = new KeptAnswers({
    maxAnswers: 100,
    maxBytes: 1_000,
    maxMs: 1_000,
    now: () => clock.now,
    ...options,
  });
  /** Asks, and gives what tells the answer: the request must be a first one. */
  const begin = (scope: string, body: unknown = {}) => {
    const tell = kept.enter(scope, body);
    if (typeof tell !== 'function') throw new Error(`${scope} is no first request`);
    return tell;
  };
  /** What a repetition gets; undefined where it would be a first request, which is then answered by a failure. */
  const repeat = async (scope: string, body: unknown = {}) => {
    const earlier = kept.enter(scope, body);
    if (typeof earlier !== 'function') return (await earlier).body.toString();
    earlier(answer('', 500));
    return undefined;
  };
  return { kept, clock, begin, repeat };
}

describe('KeptAnswers', () => {
  it('gives the first answer to every repetition, by scope', async () => {
    const { begin, repeat } = create();
    begin('a')(answer('one'));
    begin('b')(answer('two'));
    expect(await Promise.all(['a', 'a', 'b', 'c'].map((scope) => repeat(scope)))).toEqual([
      'one',
      'one',
      'two',
      undefined,
    ]);
  });

  it('has a repetition wait for a first one that is in work', async () => {
    const { begin, repeat, kept } = create();
    const tell = begin('a');
    const waiting = [repeat('a'), repeat('a')];
    expect(kept.size).toEqual({ inWork: 1, answered: 0, bytes: 0 });
    tell(answer('done'));
    expect(await Promise.all(waiting)).toEqual(['done', 'done']);
    expect(kept.size).toEqual({ inWork: 0, answered: 1, bytes: 4 });
  });

  it('tells a failure to those who wait, and keeps it for nobody else', async () => {
    const { begin, repeat, kept } = create();
    const tell = begin('a');
    const waiting = repeat('a');
    tell(answer('busy', 429));
    expect(await waiting).toBe('busy');
    expect(kept.size).toEqual({ inWork: 0, answered: 0, bytes: 0 });
    expect(await repeat('a')).toBeUndefined();
  });

  it('refuses another body under the same key, in work and answered', () => {
    const { begin, kept } = create();
    const reused = expect.objectContaining({ code: 'idempotency-key-reused', status: 422 });
    const tell = begin('a', { data: 'x' });
    expect(() => kept.enter('a', { data: 'y' })).toThrow(reused);
    tell(answer('one'));
    expect(() => kept.enter('a', { data: 'y' })).toThrow(reused);
    expect(() => kept.enter('a', undefined)).toThrow(reused);
    expect(kept.enter('a', { data: 'x' })).toBeInstanceOf(Promise);
  });

  it('takes a body whose keys come in another order for the same one', () => {
    const { begin, kept } = create();
    begin('a', { env: { B: '2', A: '1' }, list: [{ y: 1, x: [2, 1] }], n: null })(answer('one'));
    const turned = { n: null, list: [{ x: [2, 1], y: 1 }], env: { A: '1', B: '2' } };
    expect(kept.enter('a', turned)).toBeInstanceOf(Promise);
    const reused = expect.objectContaining({ code: 'idempotency-key-reused' });
    expect(() => kept.enter('a', { ...turned, list: [{ x: [1, 2], y: 1 }] })).toThrow(reused);
    expect(() => kept.enter('a', { ...turned, list: { 0: { x: [2, 1], y: 1 } } })).toThrow(reused);
    expect(() => kept.enter('a', { ...turned, env: { A: '2', B: '1' } })).toThrow(reused);
    expect(() => kept.enter('a', { ...turned, env: { A: '1' } })).toThrow(reused);
  });

  it('forgets answers after their time', async () => {
    const { begin, repeat, clock, kept } = create();
    begin('a')(answer('one'));
    clock.now = 600;
    begin('b')(answer('two'));
    clock.now = 1_001;
    expect([await repeat('a'), await repeat('b')]).toEqual([undefined, 'two']);
    expect(kept.size).toEqual({ inWork: 0, answered: 1, bytes: 3 });
  });

  it('keeps so many, the oldest going first, and so many bytes, the newest whatever its size', async () => {
    const many = create({ maxAnswers: 3 });
    for (const scope of ['a', 'b', 'c', 'd']) many.begin(scope)(answer(scope));
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((scope) => many.repeat(scope)))).toEqual([
      undefined,
      'b',
      'c',
      'd',
    ]);
    const large = create({ maxBytes: 10 });
    for (const scope of ['a', 'b', 'c']) large.begin(scope)(answer(scope.repeat(5)));
    expect(large.kept.size).toEqual({ inWork: 0, answered: 2, bytes: 10 });
    large.begin('d')(answer('d'.repeat(50)));
    expect(large.kept.size).toEqual({ inWork: 0, answered: 1, bytes: 50 });
    expect(await large.repeat('d')).toBe('d'.repeat(50));
  });

  it('takes no more requests in work than it may keep answers of', () => {
    const { begin } = create({ maxAnswers: 2 });
    const tell = begin('a');
    begin('b');
    expect(() => begin('c')).toThrow(expect.objectContaining({ code: 'unavailable' }));
    tell(answer('one'));
    begin('c');
  });
});
