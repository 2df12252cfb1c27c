import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Context } from '#dist/command/context.js';
import { createProgram } from '#dist/command/program.js';
import { commandPage } from '../support/command-page.js';

const PAGE = join(import.meta.dirname, '../../docs/command.md');

test('docs/command.md has every verb as the program has it', async () => {
  const stream = new PassThrough();
  const { signal } = new AbortController();
  const context = new Context({ stdin: stream, stdout: stream, stderr: stream, env: {}, signal });
  const page = commandPage(await createProgram(context));
  if (process.env.AUTO_TERMINAL_WRITE_PAGES) writeFileSync(PAGE, page);
  expect(readFileSync(PAGE, 'utf8')).toBe(page);
});
