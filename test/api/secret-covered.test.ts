import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CommandOutput } from '#dist/contract/command.js';
import { ShellTerminal } from '../support/commands.js';
import { type Watcher, watch } from '../support/http.js';
import { dataOf, startRecording, stopRecording } from '../support/recordings.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
let watcher: Watcher;
let folder: string;
beforeAll(async () => {
  watcher = await watch(used.service.url);
  folder = await mkdtemp(join(tmpdir(), 'at-secret-'));
});
afterAll(async () => {
  await watcher.close();
  await rm(folder, { recursive: true });
});

/** Texts in the marks in place of the secret; if a piece of output ends within a mark, a few digits show. */
const keysIn = (text: string) =>
  new Set(
    text.match(/(?<=\x1b\]133;[^\x07]*k=)[^;\x07]*/g)?.map((key) => key.replace(/^[0-9a-f]{1,7}(?=\*)/, '')),
  );

it('a recording shown in a shell reports no commands', async () => {
  const shell = await ShellTerminal.open(used.api);
  const { id } = shell;
  const recordingId = await startRecording(used.api, id);
  await shell.type('bash\r');
  await shell.listed('bash');
  await shell.run('(exit 3)');
  await shell.run('exit 4');
  const recorded = dataOf(await stopRecording(used.api, recordingId), 'output');
  for (const text of [recorded, watcher.output(id)]) expect([...keysIn(text)].join('')).toMatch(/^\*+$/);
  const { commands } = await shell.list();
  const nested = commands.find(({ commandLine }) => commandLine === 'bash')!;
  const { body } = await used.api.get<CommandOutput>(
    `/api/terminals/${id}/commands/${nested.id}/output?raw=true`,
  );
  expect([...keysIn(body.raw)].join('')).toMatch(/^\*+$/);

  const file = join(folder, 'recorded');
  await writeFile(file, recorded);
  const line = `cat '${file}'; (exit 9)`;
  await shell.run(line);
  const after = await shell.list();
  expect(after.commands.slice(0, -commands.length)).toMatchObject([{ commandLine: line, exitCode: 9 }]);
});
