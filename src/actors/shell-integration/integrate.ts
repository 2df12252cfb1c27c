import { posix } from 'node:path';
import type { ShellKind } from '../../contract/command.js';
import { startBash } from './bash.js';
import { startFish } from './fish.js';
import { startPowerShell } from './powershell.js';
import type { IntegrationParts, ShellStart, StartShell } from './shell-start.js';
import { startZsh } from './zsh.js';

const UNIX_SHELLS: Readonly<Record<string, [ShellKind, StartShell]>> = {
  bash: ['bash', startBash],
  zsh: ['zsh', startZsh],
  fish: ['fish', startFish],
  pwsh: ['pwsh', startPowerShell],
};

/**
 * Returns how to start an interactive shell so that it reports its prompts and commands by marks that carry the nonce.
 * Everything else starts as it is, with `shell` null, and so does a shell that runs a script or whose arguments are not
 * understood.
 */
export function integrate(
  start: Readonly<ShellStart>,
  parts: IntegrationParts,
): ShellStart & { shell: ShellKind | null } {
  const name = posix.basename(start.file);
  const shells = parts.platform === 'win32' ? {} : UNIX_SHELLS;
  const [shell, startShell] = Object.hasOwn(shells, name) ? shells[name]! : [];
  const integrated = startShell?.(start, parts);
  if (shell === undefined || integrated === undefined) {
    return { shell: null, file: start.file, args: [...start.args], env: { ...start.env } };
  }
  return { shell, file: start.file, ...integrated };
}
