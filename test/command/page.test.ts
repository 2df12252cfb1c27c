import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeAll, expect, test } from 'vitest';
import { Context } from '#dist/command/context.js';
import { markdownPage } from '#dist/command/pages/markdown-page.js';
import { createProgram } from '#dist/command/program.js';

const ROOT = join(import.meta.dirname, '../..');

let program: Awaited<ReturnType<typeof createProgram>>;
beforeAll(async () => {
  const stream = new PassThrough();
  const { signal } = new AbortController();
  program = await createProgram(
    new Context({ stdin: stream, stdout: stream, stderr: stream, env: {}, signal }),
  );
});

test.each([['docs/command.md', markdownPage]])('%s has every verb as the program has it', (file, make) => {
  const path = join(ROOT, file);
  const page = make(program);
  if (process.env.AUTO_TERMINAL_WRITE_PAGES) writeFileSync(path, page);
  expect(readFileSync(path, 'utf8')).toBe(page);
});
