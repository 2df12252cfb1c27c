import { homedir } from 'node:os';
import type { SpawnRequest } from '../contract/host-protocol.js';
import type { Profile } from '../contract/profile.js';
import type { CreateTerminal, TerminalMode } from '../contract/terminal.js';
import { newTerminalId, packMeta, type TerminalMeta } from './terminal-record.js';

export interface NewTerminalParts {
  request: CreateTerminal;
  profile: Profile;
  tabId: string;
  mode: TerminalMode;
  /** The environment of the shell, given the terminal's id. */
  environment: (id: string) => Record<string, string>;
}

/** Works out what the pty host is to start, and what the service will know of it. */
export function newTerminal(parts: NewTerminalParts): { meta: TerminalMeta; spawn: SpawnRequest } {
  const { request, profile, tabId, mode } = parts;
  const id = newTerminalId();
  const [file = profile.path, ...args] = request.command ?? [profile.path, ...profile.args];
  const meta: TerminalMeta = {
    name: request.name ?? `Terminal-${profile.id}`,
    profile: profile.id,
    tabId,
    mode,
    createdAt: Date.now(),
    shell: file,
    index: request.index ?? true,
  };
  const spawn = {
    id,
    file,
    args,
    env: parts.environment(id),
    cwd: request.cwd ?? profile.cwd ?? homedir(),
    cols: request.cols,
    rows: request.rows,
    meta: packMeta(meta),
  };
  return { meta, spawn };
}
