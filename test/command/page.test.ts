import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { Context } from '#dist/command/context.js';
import { manPage } from '#dist/command/pages/man-page.js';
import { markdownPage } from '#dist/command/pages/markdown-page.js';
import { verbPages } from '#dist/command/pages/verb-page.js';
import { createProgram } from '#dist/command/program.js';
import { findOnPath } from '../support/program-on-path.js';

const ROOT = join(import.meta.dirname, '../..');
const MAN = 'docs/auto-terminal.1';

let program: Awaited<ReturnType<typeof createProgram>>;
beforeAll(async () => {
  const stream = new PassThrough();
  const { signal } = new AbortController();
  program = await createProgram(
    new Context({ stdin: stream, stdout: stream, stderr: stream, env: {}, signal }),
  );
});

test.each([
  ['docs/command.md', markdownPage],
  [MAN, manPage],
])('%s has every verb as the program has it', (file, make) => {
  const path = join(ROOT, file);
  const page = make(program);
  if (process.env.AUTO_TERMINAL_WRITE_PAGES) writeFileSync(path, page);
  expect(readFileSync(path, 'utf8')).toBe(page);
});

test('the manual page is part of the package', () => {
  const { man, files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    man: string;
    files: string[];
  };
  expect([man, files]).toEqual([`./${MAN}`, expect.arrayContaining([MAN])]);
});

const hasGroff = findOnPath('groff') !== undefined;

describe.skipIf(!hasGroff)(`the manual page${hasGroff ? '' : ' (skipped: groff is not installed)'}`, () => {
  const groff = (...args: string[]) =>
    execFileSync('groff', ['-man', '-Tutf8', '-ww', ...args, join(ROOT, MAN)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  test('is formatted without a warning, and has every verb and option', () => {
    const warnings = execFileSync('sh', ['-c', `groff -man -Tutf8 -ww ${MAN} 2>&1 >/dev/null`], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(warnings).toBe('');
    // As plain text: groff marks bold and italic by escape sequences or by overstriking.
    const page = groff('-P-c', '-rLL=500n')
      .replace(/.\x08/g, '')
      .replace(/\x1b\[[\d;]*m/g, '');
    for (const { name, usage, options } of verbPages(program)) {
      expect(page).toContain(`auto-terminal ${name} [options] ${usage}`.trimEnd());
      for (const [flags] of options) expect(page).toContain(flags);
    }
    expect(page).toContain('ctrl+\\ d leaves it');
  });
});
