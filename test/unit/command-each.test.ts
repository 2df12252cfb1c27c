import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { errorOf } from '#dist/client/errors.js';
import { Context } from '#dist/command/context.js';
import { inEach } from '#dist/command/each.js';

const busy = errorOf({ status: 429, code: 'input-buffer-full', message: 'Input buffer full', details: {} });
const missing = errorOf({ status: 404, code: 'terminal-not-found', message: 'Not there', details: {} });

function script(signal = new AbortController().signal) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const context = new Context({ stdin, stdout, stderr, env: {}, signal });
  return { context, said: () => stderr.read()?.toString() ?? '' };
}

describe('an action in each of many terminals', () => {
  test('is done in all, at most 16 at once', async () => {
    const { context, said } = script();
    let [now, most, done] = [0, 0, 0];
    const ids = Array.from({ length: 100 }, (_, index) => `term_${index}`);
    await inEach(context, ids, 'done', async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise(setImmediate);
      now -= 1;
      done += 1;
    });
    expect([most, done, context.exitCode, said()]).toEqual([16, 100, 0, '']);
  });

  test.each([
    [[busy, busy], 75],
    [[missing, missing], 3],
    [[busy, missing], 1],
  ])('that fails in some is done in the others, and each failure is named', async (errors, code) => {
    const { context, said } = script();
    const done: string[] = [];
    await inEach(context, ['a', 'b', 'c'], 'done', async (id) => {
      const error = errors[['a', 'b'].indexOf(id)];
      if (error) throw error;
      done.push(id);
    });
    expect([done, context.exitCode]).toEqual([['c'], code]);
    expect(said()).toBe(`auto-terminal: a: ${errors[0]?.message}\nauto-terminal: b: ${errors[1]?.message}\n`);
  });

  test('of one terminal fails as itself', async () => {
    const { context, said } = script();
    await expect(inEach(context, ['a'], 'done', () => Promise.reject(missing))).rejects.toBe(missing);
    expect(said()).toBe('');
  });

  test('ends at an interrupt and at a fault of the command', async () => {
    const interrupted = AbortSignal.abort(new Error('interrupted'));
    await expect(inEach(script(interrupted).context, ['a'], 'done', async () => {})).rejects.toThrow(
      'interrupted',
    );
    const fault = new TypeError('a fault');
    await expect(inEach(script().context, ['a', 'b'], 'done', () => Promise.reject(fault))).rejects.toBe(
      fault,
    );
  });
});
