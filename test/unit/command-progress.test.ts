import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { clearScreen, hasColors } from '#dist/command/colors.js';
import { Progress } from '#dist/command/progress.js';

const ERASE = '\r\x1b[2K';

/** The standard error of a user's terminal, and the text written to it. */
function person({ isTTY = true, env = {}, columns = 80 } = {}) {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns });
  return { stderr, env, written: () => stderr.read()?.toString() ?? '' };
}

describe('progress', () => {
  test('is a line that is written over, and erased', () => {
    const at = person();
    const progress = new Progress(at, { total: 500, done: 'ended' });
    progress.advance();
    progress.draw();
    expect(at.written()).toBe(`${ERASE}1 of 500 ended${ERASE}1 of 500 ended`);
    progress.say('a word');
    progress.erase();
    expect(at.written()).toBe(`${ERASE}a word\n`);
  });

  test('has room in a terminal that does not know its size', () => {
    const at = person({ columns: 0 });
    new Progress(at, { total: 500, done: 'ended' }).advance();
    expect(at.written()).toBe(`${ERASE}1 of 500 ended`);
  });

  test('is drawn no more often than a person reads', () => {
    const at = person();
    const progress = new Progress(at, { total: 100_000, done: 'ended' });
    const begin = performance.now();
    for (let step = 0; step < 100_000; step += 1) progress.advance();
    const drawings = at.written().split(ERASE).length - 1;
    expect(drawings).toBeGreaterThan(0);
    expect(drawings).toBeLessThanOrEqual((performance.now() - begin) / 100 + 1);
  });

  test('is drawn at the first step, however young the process is', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(40);
    onTestFinished(() => clock.mockRestore());
    const at = person();
    new Progress(at, { total: 6, done: 'closed' }).advance();
    expect(at.written()).toBe(`${ERASE}1 of 6 closed`);
  });

  test('does not wrap in a narrow terminal', () => {
    const at = person({ columns: 8 });
    new Progress(at, { total: 500, done: 'ended' }).advance();
    expect(at.written()).toBe(`${ERASE}1 of 50`);
  });

  test.each([
    ['without a terminal', person({ isTTY: false }), 500],
    ['on a terminal that cannot', person({ env: { TERM: 'dumb' } }), 500],
    ['for a few steps', person(), 3],
  ])('is not shown %s', (_, at, total) => {
    const progress = new Progress(at, { total, done: 'closed' });
    progress.advance();
    progress.draw();
    progress.erase();
    progress.say('a word');
    expect(at.written()).toBe('a word\n');
  });
});

describe('colours', () => {
  test.each([
    [{}, true, true],
    [{}, false, false],
    [{ TERM: 'dumb' }, true, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '3', TERM: 'dumb' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
  ])('%j with a terminal: %s', (env, isTty, has) => {
    expect(hasColors({ env, isTty })).toBe(has);
  });

  test('a screen is drawn in its place only on a terminal that can', () => {
    expect(clearScreen({ env: {}, isTty: true })).toBe('\x1b[H\x1b[2J');
    expect(clearScreen({ env: { TERM: 'dumb' }, isTty: true })).toBe('');
    expect(clearScreen({ env: {}, isTty: false })).toBe('');
  });
});
