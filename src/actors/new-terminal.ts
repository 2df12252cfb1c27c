import { homedir } from 'node:os';
import type { ShellKind } from '../contract/command.js';
import type { SpawnRequest } from '../contract/host-protocol.js';
import type { Profile } from '../contract/profile.js';
import type { Backend, CreateTerminal, TerminalMode } from '../contract/terminal.js';
import { limitsFor, type TerminalLimits } from '../contract/terminal-limits.js';
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

/**
 * Makes the shell of terminal `id` report its commands by marks that carry the nonce; leaves any other program as it
 * is.
 */
type Integrate = (start: Start, nonce: string, id: string) => Start & { shell: ShellKind | null };

export interface NewTerminalOptions {
  profiles: Pick<Profiles, 'resolve'>;
  /** Returns the environment of a terminal's program. */
  environment: (profile: Profile, request: CreateTerminal, id: string) => Record<string, string>;
  /**
   * Returns the tab of a new terminal. Throws if the request wants the terminal beside something that does not exist;
   * nothing has been started at that point.
   */
  tabFor: (request: CreateTerminal) => string;
  /** Makes the shell of a new terminal report its commands, where it can. */
  integrate: Integrate;
  /** Returns the nice value for the programs of new terminals. */
  nice: () => number;
  /** Returns the limits of new terminals whose requests name no others. */
  limits: () => TerminalLimits | undefined;
  /** Returns where in tmux a new terminal lives; null for a plain PTY. Throws if tmux is asked for and unavailable. */
  tmuxFor: (asked: Backend | undefined) => Promise<TmuxPlace | null>;
  /**
   * Takes note of the secrets in the environment of a program that is about to start. Rejects if they cannot be noted.
   */
  noteSecrets: (id: string, env: Readonly<Record<string, string>>, named: readonly string[]) => Promise<void>;
}

/** Creator of a terminal, and the facts that only the service decides. */
export interface TerminalOrigin {
  mode: TerminalMode;
  id: string;
  /** Variables that take precedence over the variables of the profile and of the request. */
  env: Readonly<Record<string, string>>;
  /** Ids of the tokens with which it is created. */
  madeWith: readonly string[];
  /** Whether its program may do only what a grant allows. */
  granted: boolean;
}

/** Returns the request that starts the program in the pty host, and the metadata that the service keeps of the terminal. */
export async function newTerminal(
  request: CreateTerminal,
  { mode, id, env, madeWith, granted }: TerminalOrigin,
  options: NewTerminalOptions,
): Promise<{ meta: TerminalMeta; spawn: SpawnRequest }> {
  const place = await options.tmuxFor(request.backend);
  const tabId = options.tabFor(request);
  const profile = options.profiles.resolve(request.profileId ?? request.profile);
  const nonce = newNonce();
  const [file = profile.path, ...args] = request.command ?? [profile.path, ...profile.args];
  const asked = { file, args, env: { ...options.environment(profile, request, id), ...env } };
  const { shell, ...start } =
    request.integration === false ? { ...asked, shell: null } : options.integrate(asked, nonce, id);
  await options.noteSecrets(id, asked.env, request.secrets ?? []);
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
    madeWith: [...madeWith],
    granted,
    marks: { shell, nonce },
    ...(place ? { backend: 'tmux', attach: place.attach(id) } : { backend: 'pty' }),
  };
  const limits = limitsFor(request.limits, options.limits());
  const spawn = {
    ...start,
    id,
    cwd: request.cwd ?? profile.cwd ?? homedir(),
    cols: request.cols,
    rows: request.rows,
    meta: packMeta(meta),
    nice: options.nice(),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(place && { tmux: place.tmux }),
  };
  return { meta, spawn };
}
