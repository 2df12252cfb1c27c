import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { DomainError } from '../contract/errors.js';
import { DETECTED_SHELLS_MS } from '../contract/limits.js';
import type { Profile } from '../contract/profile.js';
import type { CustomProfiles } from './custom-profiles.js';

export interface ProfileSources {
  /** The service's environment: `SHELL`, `PATH`, on Windows `COMSPEC`. */
  env: NodeJS.ProcessEnv;
  /** As `process.platform`. */
  platform: string;
  /** The system's list of login shells, one path per line; on most systems /etc/shells. */
  shellsFile: string;
  /** Setting `terminals.defaultProfile`; an id that does not exist counts as unset. */
  defaultProfile: () => string | undefined;
  /** The profiles that clients have made. */
  custom: Pick<CustomProfiles, 'list'>;
}

/** The shells of this machine, followed by the custom profiles. Shells may come and go while the service runs. */
export interface Profiles {
  /** Searches the machine for shells and returns all profiles. */
  list(): Profile[];
  /** Searches the machine for shells and returns the profile of this id. Throws profile-not-found. */
  get(id: string): Profile;
  /**
   * Returns the profile of this id, or the default profile if there is none. Uses the shells found up to
   * DETECTED_SHELLS_MS ago, since terminals are created by the hundred; searches again only if an id is given that none
   * of these has. Throws spawn-failed when there is no shell at all.
   */
  resolve(id: string | undefined): Profile;
}

const UNIX_SHELLS = ['bash', 'zsh', 'fish', 'sh', 'dash', 'ksh', 'tcsh', 'nu', 'pwsh'];
const WINDOWS_SHELLS = ['pwsh.exe', 'powershell.exe', 'cmd.exe', 'bash.exe', 'nu.exe'];

/** Programs that /etc/shells may list although no terminal can live on them. */
const NO_SHELLS: ReadonlySet<string> = new Set(['nologin', 'false', 'true', 'git-shell']);

/** Default shells, in this order, if neither the settings nor the environment name one. */
const USUAL_DEFAULTS = ['bash', 'zsh', 'sh', 'pwsh', 'powershell', 'cmd'];

/** Returns the path without links of a program that may be executed, given its absolute path; undefined otherwise. */
function programAt(path: string): string | undefined {
  if (!isAbsolute(path) || !existsSync(path)) return undefined;
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? realpathSync.native(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the lines of /etc/shells without comments; none where the system has no such file. */
function listedShells(shellsFile: string): string[] {
  try {
    const lines = readFileSync(shellsFile, 'utf8').split('\n');
    return lines.map((line) => line.replace(/#.*/, '').trim()).filter((line) => line !== '');
  } catch {
    return [];
  }
}

/** Returns every path that may be a shell, the user's own first. */
function candidates({ env, platform, shellsFile }: ProfileSources): string[] {
  const names = platform === 'win32' ? WINDOWS_SHELLS : UNIX_SHELLS;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const own = platform === 'win32' ? env.COMSPEC : env.SHELL;
  return [...(own ? [own] : []), ...listedShells(shellsFile), ...onPath];
}

function shellName(path: string): string {
  return basename(path).replace(/\.exe$/i, '');
}

/**
 * Returns shells by id: the base name, with -2, -3 for further programs of that name. Paths to the same file under the
 * same name are one shell (/bin/bash, /usr/bin/bash); `sh` stays beside the `dash` that it links to, since shells look
 * at the name they are called by.
 */
function detect(sources: ProfileSources): Map<string, string> {
  const shells = new Map<string, string>();
  const seen = new Set<string>();
  for (const path of candidates(sources)) {
    const name = shellName(path);
    const program = NO_SHELLS.has(name) ? undefined : programAt(path);
    const identity = `${name}\0${program}`;
    if (program === undefined || seen.has(identity)) continue;
    seen.add(identity);
    let id = name;
    for (let count = 2; shells.has(id); count += 1) id = `${name}-${count}`;
    shells.set(id, path);
  }
  return shells;
}

/**
 * Returns the arguments of a detected shell. On macOS terminals start login shells, since PATH is put together in their
 * profile files.
 */
function argsOf(name: string, platform: string): string[] {
  return platform === 'darwin' && ['bash', 'zsh', 'fish', 'sh', 'ksh'].includes(name) ? ['-l'] : [];
}

export function createProfiles(sources: ProfileSources): Profiles {
  let found: { shells: Map<string, string>; at: number } | undefined;

  function look(): Map<string, string> {
    const shells = detect(sources);
    found = { shells, at: performance.now() };
    return shells;
  }

  function lookedUp(): Map<string, string> {
    const isFresh = found !== undefined && performance.now() - found.at < DETECTED_SHELLS_MS;
    return found && isFresh ? found.shells : look();
  }

  function detected(shells: Map<string, string>): Profile[] {
    return [...shells].map(([id, path]) => ({
      id,
      name: id,
      path,
      args: argsOf(shellName(path), sources.platform),
      env: {},
      cwd: null,
      icon: null,
      is_default: false,
      is_custom: false,
    }));
  }

  function listed(shells: Map<string, string>): Profile[] {
    const profiles = [...detected(shells), ...sources.custom.list()];
    const own = sources.platform === 'win32' ? sources.env.COMSPEC : sources.env.SHELL;
    const ownId = profiles.find(({ path, is_custom }) => path === own && !is_custom)?.id;
    const wishes = [sources.defaultProfile(), ownId, ...USUAL_DEFAULTS, ...profiles.map(({ id }) => id)];
    const ids = new Set(profiles.map(({ id }) => id));
    const defaultId = wishes.find((id) => id !== undefined && ids.has(id));
    return profiles.map((profile) => ({ ...profile, is_default: profile.id === defaultId }));
  }

  function list(): Profile[] {
    return listed(look());
  }

  function get(id: string): Profile {
    const profile = list().find((each) => each.id === id);
    if (profile === undefined) throw new DomainError('profile-not-found');
    return profile;
  }

  function resolve(id: string | undefined): Profile {
    const byId = (profiles: Profile[]) => profiles.find((each) => each.id === id);
    const known = listed(lookedUp());
    const named = byId(known) ?? (id === undefined ? undefined : byId(list()));
    const profile = named ?? known.find((each) => each.is_default);
    if (profile === undefined) throw new DomainError('spawn-failed', 'No shell was found on this machine');
    return profile;
  }

  return { list, get, resolve };
}
