import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openTerminal, runIn, settleHome } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

// A bash without a line editor: the terminal cuts a line at 4,095 bytes, and a program reads the lines after its own.
const used = useSharedService();
beforeAll(() => settleHome(used.service.home));

const open = () => openTerminal(used.api, ['bash', '--noediting']);

it.each([
  ['one line', `sh -c 'exit 12'`, 12],
  ['several lines', 'echo a\necho b\n(exit 3)', 3],
  ['lines that belong together', 'for i in 1 2; do\necho $i\ndone; (exit 6)', 6],
  ['a here-document', 'cat <<EOF\na\nEOF\n(exit 5)', 5],
])('%s: the exit code of the last', async (_name, command, exitCode) => {
  expect(await runIn(used.api, await open(), command)).toMatchObject({ done: true, exitCode });
});

it('a line that the terminal cuts has no exit code, since its end was never run', async () => {
  const file = join(used.service.home, 'cut');
  const command = `echo begun > ${file}; : ${'x'.repeat(5_000)}; echo ended > ${file}; (exit 12)`;
  const result = await runIn(used.api, await open(), command);
  expect(result).toMatchObject({ done: true, exitCode: null });
  expect(readFileSync(file, 'utf8')).toBe('begun\n');
});

it('a line that a program has read has no exit code, since it was never run', async () => {
  const result = await runIn(used.api, await open(), 'read line\necho "read $line"; (exit 3)');
  expect(result).toMatchObject({ done: true, exitCode: null });
});
