import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DETACH } from '../support/attach-rig.js';
import { linesOf, PastedSession } from '../support/pasted-session.js';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const lines = linesOf(README, 'Use');

/** Words that each line prints, by the line's beginning. A line ends with exit code 0 unless `exitCode` is given. */
const EXPECTED: Record<string, { words: (string | RegExp)[]; exitCode?: number }> = {
  'auto-terminal new --name demo': { words: [/^Starting the service; it logs to \/\S+/, /^term_\w{12}$/m] },
  'auto-terminal exec demo': { words: ['Linux', 'exit code 1'] },
  'auto-terminal run -- sh': { words: [/^hello$/m], exitCode: 7 },
  'for n in $(seq 10)': { words: [/^(term_\w{12}\n){10}$/] },
  'auto-terminal batch run': {
    words: [
      /^worker 1 {2}\| I am term_\w{12}$/m,
      /^worker 10 \| I am term_/m,
      /^ID +NAME +EXIT/m,
      /^term_\S+ +worker \d+ +0 /m,
    ],
  },
  'auto-terminal ls': { words: [/^ID +NAME +STATE/m, /^term_\S+ +demo +prompt +bash/m, 'role=test'] },
  'auto-terminal agents': { words: [] },
  'auto-terminal screen demo': { words: ['uname -a; test -e /nowhere', 'Linux'] },
  'auto-terminal logs demo': { words: ['uname -a; test -e /nowhere', 'Linux'] },
  'auto-terminal wait': { words: [/^none has failed$/m] },
  '(sleep 2; auto-terminal send demo': { words: ['command.started'] },
  'auto-terminal close --all': { words: [] },
  'auto-terminal status': { words: [/^service +auto-terminal \d/m, /^terminals +0 running/m] },
};

let session: PastedSession;
beforeAll(async () => {
  session = await PastedSession.start();
});
afterAll(() => session?.dispose());

test('has a session to paste, which uses all that is expected of it', () => {
  expect(lines.length).toBeGreaterThan(10);
  const unused = Object.keys(EXPECTED).filter((start) => !lines.some((line) => line.startsWith(start)));
  expect(unused).toEqual([]);
});

test.each(lines)('%s', async (line) => {
  if (line.startsWith('auto-terminal attach')) {
    await session.begin(line);
    await session.shows('uname -a; test -e /nowhere');
    session.type('echo "seen by $((6 * 7))"\r');
    await session.shows('seen by 42');
    session.type(DETACH);
    const { exitCode, printed } = await session.end();
    expect(printed).toContain('[detached');
    expect(exitCode).toBe(0);
    return;
  }
  const [, expected] = Object.entries(EXPECTED).find(([start]) => line.startsWith(start)) ?? [];
  if (!expected) throw new Error('nothing is said of what a reader may expect of this line');
  const { exitCode, printed } = await session.paste(line);
  for (const words of expected.words) {
    if (typeof words === 'string') expect(printed).toContain(words);
    else expect(printed).toMatch(words);
  }
  expect(exitCode, printed).toBe(expected.exitCode ?? 0);
});

test('has completion that bash takes', async () => {
  expect(README).toContain('source <(auto-terminal completion bash)');
  const { exitCode, printed } = await session.paste(
    'source <(auto-terminal completion bash); complete -p auto-terminal',
  );
  expect(printed).toContain('auto-terminal');
  expect(exitCode, printed).toBe(0);
});
