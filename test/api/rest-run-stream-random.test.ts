import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { BatchRunAnswer, Run } from '#dist/contract/run.js';
import { Random } from '../support/random.js';
import { readStream } from '../support/run-stream.js';
import { openTerminal, settleHome } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const ROUNDS = Number(process.env.AUTO_TERMINAL_STREAM_ROUNDS ?? 6);
const SHELLS = ['bash', 'zsh', 'fish', 'dash', 'bash', 'dash'];

const used = useSharedService();
beforeAll(() => settleHome(used.service.home));

const WORDS = [
  'word',
  'a b ',
  'tab\t',
  'é',
  '日本',
  '😀',
  '\n',
  '\n',
  '\n\n',
  '\x1b[1;31m',
  '\x1b[m',
  '\x1b[K',
  'x'.repeat(100),
];
const OVERWRITTEN = ['\r', '\r\n', '\b', '\x1b[2D', '\x1b[3C', '\x1b[2K', '\r\x1b[K', '\x1b[1G', '10%\r'];
const DRAWN = [
  '\x1b[A',
  '\x1b[3A\r',
  '\x1b[B',
  '\x1b[H\x1b[2J',
  '\x1b[J',
  '\x1bM',
  '\x1b[?1049hin\n\x1b[Hit\x1b[?1049l',
  '\n'.repeat(30),
];

/** A file, and a script that prints it in pieces that are cut anywhere. */
async function randomScript(random: Random, name: string): Promise<string> {
  const parts = random.of([WORDS, [...WORDS, ...OVERWRITTEN], [...WORDS, ...OVERWRITTEN, ...DRAWN]]);
  const count = random.of([0, 5, 50, 500, 5_000]);
  const bytes = Buffer.from(Array.from({ length: count }, () => random.of(parts)).join(''));
  const cuts = Array.from({ length: random.below(8) }, () => random.below(bytes.length + 1));
  const lines: string[] = [];
  for (const [index, at] of [0, ...cuts.sort((a, b) => a - b)].entries()) {
    const piece = `${name}-${index}`;
    await writeFile(join(used.service.home, piece), bytes.subarray(at, cuts[index]));
    lines.push(`cat ~/${piece}; sleep 0.0${random.below(10)}`);
  }
  // The pauses only let reads happen between the pieces.
  await writeFile(join(used.service.home, `${name}.sh`), `${lines.join('\n')}\nexit ${random.below(3)}\n`);
  return `sh ~/${name}.sh`;
}

it('joins to `raw`, whatever is printed, and whenever it is read', {
  timeout: 300_000 + ROUNDS * 20_000,
}, async () => {
  const seed = Date.now() % 1_000_000;
  const random = new Random(seed);
  const ids = await Promise.all(SHELLS.map((shell) => openTerminal(used.api, [shell])));
  for (let round = 0; round < ROUNDS; round++) {
    const runs = await Promise.all(
      ids.map(async (terminalId, place) => ({
        terminalId,
        command: await randomScript(random, `r${round}-${place}`),
      })),
    );
    const { body } = await used.api.post<BatchRunAnswer>('/api/terminals/batch/run', {
      ...{ runs, waitFor: 0, timeoutMs: 30_000, maxBytes: 1024 * 1024 },
    });
    const early = await readStream(used.service.url, body.runId);
    await early.until(() => early.events.length > random.below(6));
    const late = await readStream(used.service.url, body.runId);
    await Promise.all([early.end(), late.end()]);
    const { body: run } = await used.api.get<Run>(`/api/runs/${body.runId}`);
    for (const { terminalId, raw, truncated, exitCode } of run.results) {
      const about = `seed ${seed}, round ${round}, ${runs.find((one) => one.terminalId === terminalId)!.command}`;
      expect([truncated, exitCode === null], about).toEqual([false, false]);
      expect(early.text(terminalId), about).toBe(raw);
      expect(late.text(terminalId), about).toBe(raw);
    }
    expect([...early.of('gap'), ...late.of('gap')]).toEqual([]);
  }
});
