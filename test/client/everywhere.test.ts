import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleOf, EverywhereGround } from '../support/everywhere.js';
import { programOnPath } from '../support/program-on-path.js';
import { CASES, CUTS } from './everywhere/cases.js';
import type { Outcomes } from './everywhere/run-cases.js';

const run = promisify(execFile);
const DEADLINE_MS = 110_000;
/** Outcomes that every runtime must have. */
const ALL_PASS: Outcomes = Object.fromEntries(Object.keys(CASES).map((name) => [name, null]));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-everywhere-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs the work with a service of its own, which the work kills. */
async function withGround(bundle: string, work: (ground: EverywhereGround) => Promise<void>): Promise<void> {
  const ground = await EverywhereGround.start(bundle);
  try {
    await work(ground);
    expect(ground.cuts).toBe(CUTS);
  } finally {
    await ground.stop();
  }
}

/** Runs the cases in a program of the Node at this path; resolves with the version of that Node. */
async function inNode(node: string): Promise<string> {
  const program = join(folder, 'program.mjs');
  await writeFile(program, await bundleOf('program'));
  let version = '';
  await withGround('', async ({ ground }) => {
    const { stdout } = await run(node, [program, JSON.stringify(ground)], { timeout: DEADLINE_MS });
    const answer = JSON.parse(stdout) as { version: string; outcomes: Outcomes };
    expect(answer.outcomes).toEqual(ALL_PASS);
    version = answer.version;
  });
  return version;
}

/** Path of the Node that the npm package `node` brings; an Error if it cannot be fetched. */
function nodeOfPackage(major: number): Promise<string | Error> {
  const args = ['-y', '-p', `node@${major}`, 'node', '-p', 'process.execPath'];
  return run('npx', args, { cwd: folder, timeout: DEADLINE_MS }).then(
    ({ stdout }) => stdout.trim(),
    (error: Error) => error,
  );
}

describe('the client, bundled, does the same', () => {
  test('in the Node that runs the tests', async () => {
    expect(await inNode(process.execPath)).toBe(process.version);
  });

  test.for([22, 24])('in Node %i', async (major, { skip }) => {
    const node = await nodeOfPackage(major);
    if (node instanceof Error) return skip(`node@${major} cannot be fetched: ${node.message}`);
    expect(await inNode(node)).toMatch(new RegExp(`^v${major}\\.`));
  });

  test('in a page of Chromium', async () => {
    const browser = await chromium.launch({
      executablePath: programOnPath('chromium'),
      args: ['--no-sandbox'],
    });
    try {
      await withGround(await bundleOf('page'), async ({ ground, origin }) => {
        const page = await browser.newPage();
        const errors: Error[] = [];
        page.on('pageerror', (error) => errors.push(error));
        await page.goto(origin);
        const outcomes = await page.evaluate(
          `import('/bundle.js').then(({ main }) => main(${JSON.stringify(ground)}))`,
        );
        expect(outcomes).toEqual(ALL_PASS);
        expect(errors).toEqual([]);
      });
    } finally {
      await browser.close();
    }
  });
});
