import { homedir } from 'node:os';
import type { ShellKind } from '../contract/command.js';
import type { SpawnRequest } from '../contract/host-protocol.js';
import type { Profile } from '../contract/profile.js';
import type { CreateTerminal, TerminalMode } from '../contract/terminal.js';
import { newNonce } from './marks.js';
import { newTerminalId, packMeta, type TerminalMeta } from './terminal-record.js';

/** How a program is started. */
interface Start {
  file: string;
  args: string[];
  env: Record<string, string>;
}

/** Has a shell tell of its commands by marks that carry the nonce; any other program is started as it is. */
export type Integrate = (start: Start, nonce: string) => Start & { shell: ShellKind | null };

export interface NewTerminalParts {
  request: CreateTerminal;
  profile: Profile;
  tabId: string;
  mode: TerminalMode;
  /** The environment of the shell, given the terminal's id. */
  environment: (id: string) => Record<string, string>;
  integrate: Integrate;
}

/** Works out what the pty host is to start, and what the service will know of it. */
export function newTerminal(parts: NewTerminalParts): { meta: TerminalMeta; spawn: SpawnRequest } {
  const { request, profile, tabId, mode } = parts;
  const id = newTerminalId();
  const nonce = newNonce();
  const [file = profile.path, ...args] = request.command ?? [profile.path, ...profile.args];
  const asked = { file, args, env: parts.environment(id) };
  const { shell, ...start } =
    request.integration === false ? { ...asked, shell: null } : parts.integrate(asked, nonce);
  const meta: TerminalMeta = {
    name: request.name ?? `Terminal-${profile.id}`,
    profile: profile.id,
    tabId,
    mode,
    createdAt: Date.now(),
    shell: file,
    index: request.index ?? true,
    labels: request.labels ?? {},
    marks: { shell, nonce },
  };
  const spawn = {
    ...start,
    id,
    cwd: request.cwd ?? profile.cwd ?? homedir(),
    cols: request.cols,
    rows: request.rows,
    meta: packMeta(meta),
  };
  return { meta, spawn };
}
