import { homedir } from 'node:os';
import type { ShellKind } from '../contract/command.js';
import type { SpawnRequest } from '../contract/host-protocol.js';
import type { Profile } from '../contract/profile.js';
import type { Backend, CreateTerminal, TerminalMode } from '../contract/terminal.js';
import { hrMs } from '../workers/clock.js';
import { newNonce } from './marks.js';
import type { Profiles } from './profiles.js';
import { packMeta, type TerminalMeta } from './terminal-record.js';
import type { TmuxPlace } from './tmux/places.js';

/** How a program is started. */
interface Start {
  file: string;
  args: string[];
  env: Record<string, string>;
}

/** Has the shell of terminal `id` tell of its commands by marks that carry the nonce; any other program is started as it is. */
type Integrate = (start: Start, nonce: string, id: string) => Start & { shell: ShellKind | null };

export interface NewTerminalOptions {
  profiles: Pick<Profiles, 'resolve'>;
  /** The environment of a shell. */
  environment: (profile: Profile, request: CreateTerminal, id: string) => Record<string, string>;
  /**
   * The tab that a new terminal belongs to. Throws where the request wants it beside what is not there; nothing
   * has been started then.
   */
  tabFor: (request: CreateTerminal) => string;
  /** Has the shell of a new terminal tell of its commands, where it can. */
  integrate: Integrate;
  /** Nice value of new terminals' programs. */
  nice: () => number;
  /** Where in tmux a new terminal lives; null for a plain PTY. Throws where tmux is asked for and cannot be had. */
  tmuxFor: (asked: Backend | undefined) => Promise<TmuxPlace | null>;
}

/** Works out what the pty host is to start, and what the service will know of it. */
export async function newTerminal(
  request: CreateTerminal,
  mode: TerminalMode,
  id: string,
  options: NewTerminalOptions,
): Promise<{ meta: TerminalMeta; spawn: SpawnRequest }> {
  const place = await options.tmuxFor(request.backend);
  const tabId = options.tabFor(request);
  const profile = options.profiles.resolve(request.profileId ?? request.profile);
  const nonce = newNonce();
  const [file = profile.path, ...args] = request.command ?? [profile.path, ...profile.args];
  const asked = { file, args, env: options.environment(profile, request, id) };
  const { shell, ...start } =
    request.integration === false ? { ...asked, shell: null } : options.integrate(asked, nonce, id);
  const meta: TerminalMeta = {
    name: request.name ?? `Terminal-${profile.id}`,
    profile: profile.id,
    tabId,
    mode,
    createdAt: Date.now(),
    startedAt: hrMs(),
    shell: file,
    index: request.index ?? true,
    labels: request.labels ?? {},
    marks: { shell, nonce },
    ...(place ? { backend: 'tmux', attach: place.attach(id) } : { backend: 'pty' }),
  };
  const spawn = {
    ...start,
    id,
    cwd: request.cwd ?? profile.cwd ?? homedir(),
    cols: request.cols,
    rows: request.rows,
    meta: packMeta(meta),
    nice: options.nice(),
    ...(place && { tmux: place.tmux }),
  };
  return { meta, spawn };
}
