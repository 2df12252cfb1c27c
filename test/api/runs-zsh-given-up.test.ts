// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are lines for zsh
import { beforeAll, describe, expect, it } from 'vitest';
import type { WaitAnswer } from '#dist/contract/wait.js';
import { openTerminal, runIn, settleHome } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

/** zsh keeps the status of an earlier command for some lines that it gives up; such a status is no answer. */

const used = useSharedService();
beforeAll(() => settleHome(used.service.home));

const FUNCTIONS = [
  'f() { true; typeset q=${x:?set it} }',
  'g() { f }',
  'h() { case ${x:?} in a) ;; esac; echo no }',
].join('; ');

async function openZsh(): Promise<string> {
  const id = await openTerminal(used.api, ['zsh']);
  await runIn(used.api, id, FUNCTIONS);
  return id;
}

describe('a line that zsh gives up', () => {
  it.each([
    ['typeset q=${x:?}', 'zsh: x: parameter not set'],
    ['export q=${x:?set it}', 'zsh: x: set it'],
    ['local q=$((1/0))', 'zsh: division by zero'],
    ['case ${x:?} in a) ;; esac', 'zsh: x: parameter not set'],
    ['while echo ${x:?}; do :; done', 'zsh: x: parameter not set'],
    ['f', 'f: x: set it'],
    ['g', 'f: x: set it'],
    ['true && "h"', 'h: x: parameter not set'],
    ['run=h; $run', 'h: x: parameter not set'],
  ])('is never told as success: %s', async (line, message) => {
    const id = await openZsh();
    await runIn(used.api, id, 'true');
    const { done, exitCode, reason, raw } = await runIn(used.api, id, line);
    expect({ done, exitCode, reason, raw: raw.trim() }).toEqual({
      ...{ done: true, exitCode: null, reason: 'untold' },
      raw: message,
    });
  });

  it.each(['echo "${nope:?bad}"', 'echo $((1/0))', 'echo ${x:?} && true', 'if echo ${x:?}; then :; fi'])(
    'is not told with the status of the command before: %s',
    async (line) => {
      const id = await openZsh();
      await runIn(used.api, id, '(exit 9)');
      expect(await runIn(used.api, id, line)).toMatchObject({ done: true, exitCode: null, reason: 'untold' });
      // After a success, zsh sets a status of its own.
      await runIn(used.api, id, 'true');
      expect(await runIn(used.api, id, line)).toMatchObject({ done: true, exitCode: 1 });
    },
  );

  it('ends a wait without an exit code', async () => {
    const id = await openZsh();
    await runIn(used.api, id, 'true');
    await used.api.post(`/api/terminals/${id}/execute`, { prompt: 'export q=${x:?}', cliType: 'default' });
    const { body } = await used.api.post<WaitAnswer>(`/api/terminals/${id}/wait`, {
      until: 'command',
      timeoutMs: 20_000,
    });
    expect(body).toMatchObject({ done: true, exitCode: null, exitCodeReason: 'untold' });
  });
});

describe('a line that zsh executes', () => {
  it.each<[string, number]>([
    ['nosuch || true', 0],
    ['echo out', 0],
    ['echo "a: b: c"', 0],
    ['f2() { echo "f2: done" }; f2', 0],
    ['ls ${x:?}', 1],
    ['(exit 7)', 7],
  ])('is told with its status: %s', async (line, status) => {
    const id = await openZsh();
    await runIn(used.api, id, 'true');
    expect(await runIn(used.api, id, line)).toMatchObject({ success: true, done: true, exitCode: status });
  });
});
