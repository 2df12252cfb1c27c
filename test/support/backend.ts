import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BACKEND } from '../projects.js';

/** Whether the terminals of these tests run in tmux, rather than on plain PTYs. */
export const onTmux = process.env[BACKEND] === 'tmux';

/** Additional variables for a service: tmux keeps its sockets in `folder`. */
export function environmentOn(folder: string): Record<string, string> {
  return onTmux ? { TMUX_TMPDIR: folder } : {};
}

/**
 * Makes the service of this home create its terminals on the backend of the tests, unless its settings name another.
 */
export async function chooseBackend(home: string): Promise<void> {
  if (!onTmux) return;
  const file = join(home, 'config', 'config.json');
  const settings = existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : {};
  await mkdir(join(home, 'config'), { recursive: true, mode: 0o700 });
  const terminals = { backend: 'tmux', ...settings.terminals };
  await writeFile(file, JSON.stringify({ ...settings, terminals }), { mode: 0o600 });
}
