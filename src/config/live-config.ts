import { randomBytes } from 'node:crypto';
import pLimit from 'p-limit';
import { DomainError } from '../contract/errors.js';
import { AUTH_TOKEN_BYTES } from '../contract/limits.js';
import { SettingsFile, type SettingsPatch } from '../contract/settings.js';
import { unknownKeys } from '../contract/unknown-keys.js';
import { ConfigError } from './config-error.js';
import { closeConfigFile, readConfigFile, writeConfigFile } from './config-file.js';
import type { SettingFlag } from './flags.js';
import { isObject, type JsonObject, mergePatch } from './merge-patch.js';
import type { Overrides } from './overrides.js';
import { type Config, configOf, type Machine } from './settings.js';

export interface ConfigSources {
  /** Path of config.json, whose folder must exist. */
  configFile: string;
  machine: Machine;
  overrides: Overrides;
}

/** Applies a change, and resolves with a function that reverts it. Rejects if it cannot, with nothing changed. */
export type ApplyChange = (next: Config) => Promise<() => Promise<void>>;

/** Settings that apply from the next start on, because shards and pty host receive them only once. */
const NEEDS_RESTART = ['scrollback', 'orphanMs', 'shards'] as const;

/**
 * Decides on a change once the changes before it are complete, given the overrides that they left, and the file as it is
 * now, since somebody may have edited it.
 */
type Decide = (overrides: Overrides, file: JsonObject) => { patch: JsonObject; overrides: Overrides };

/** Configuration of the running service: the file, the overrides on top of it, and changes while it runs. */
export class LiveConfig {
  readonly #sources: ConfigSources;
  readonly #atStart: Config;
  #overrides: Overrides;
  #current: Config;
  #coming: Config | undefined;
  /** Makes changes one after the other. */
  readonly #inTurn = pLimit(1);
  #apply: ApplyChange = async () => async () => undefined;
  #changed: () => void = () => undefined;

  /** Keys in the config file, as of the start, that are no settings; the file keeps them, and they have no effect. */
  readonly unknownKeys: readonly string[];

  private constructor(sources: ConfigSources, config: Config, unknown: readonly string[]) {
    this.unknownKeys = unknown;
    this.#sources = sources;
    this.#overrides = sources.overrides;
    this.#current = overridden(config, sources.overrides);
    this.#atStart = config;
  }

  /**
   * Reads the config file, and adds a token if it has none. Throws ConfigError that names the file and the setting at
   * fault, or two settings with the same port, and leaves such a file untouched; and if the token cannot be added.
   */
  static async open(sources: ConfigSources): Promise<LiveConfig> {
    const file = await readConfigFile(sources.configFile);
    const config = configOf(file, sources.machine);
    if (typeof config === 'string') throw new ConfigError(`${sources.configFile}: ${config}`);
    const live = new LiveConfig(sources, config, unknownKeys(SettingsFile, file));
    const clash = portClash(live.current);
    if (clash !== undefined) throw new ConfigError(clash);
    await closeConfigFile(sources.configFile);
    if (config.network.authToken === undefined) await live.rotateToken().catch(asConfigError);
    return live;
  }

  /** The current configuration; each change makes a new object. */
  get current(): Config {
    return this.#current;
  }

  /** The configuration that a change in progress is about to make current; other parts may use it already. */
  get coming(): Config | undefined {
    return this.#coming;
  }

  /** Names of changed settings that apply only from the next start on. */
  get restartRequired(): string[] {
    const { terminals } = this.#current;
    return NEEDS_RESTART.filter((key) => terminals[key] !== this.#atStart.terminals[key]).map(
      (key) => `terminals.${key}`,
    );
  }

  /** Flags of the start whose settings a change has replaced since; the next start must not bring them back. */
  get replacedFlags(): ReadonlySet<SettingFlag> {
    const { overrides: first } = this.#sources;
    const left = this.#overrides;
    return new Set<SettingFlag>([
      ...(left.network === first.network ? [] : (['port'] as const)),
      ...(left.mcp === first.mcp ? [] : (['mcp-port'] as const)),
      ...(left.dashboard === first.dashboard ? [] : (['dashboard-port'] as const)),
      ...(first.isMcpOff === true && left.isMcpOff !== true ? (['no-mcp'] as const) : []),
    ]);
  }

  /** Sets the function that applies each change before it is written, and may refuse it. */
  applyBy(apply: ApplyChange): void {
    this.#apply = apply;
  }

  /** Sets the listener that is called after each change, when {@link current} is already the new configuration. */
  onChanged(listener: () => void): void {
    this.#changed = listener;
  }

  /**
   * Lays `patch` over the config file and applies the result. A function is called for the patch once the changes
   * before it are complete, with the configuration that the file alone makes now; with the current configuration if the
   * file has a wrong value. Rejects with an invalid-request that names the wrong setting, with config-file-broken,
   * with config-file-not-written, or with an error of applying or of the function; nothing has changed then.
   */
  patch(patch: SettingsPatch | ((edited: Config) => SettingsPatch)): Promise<void> {
    return this.#change((before, file) => {
      const decided = typeof patch === 'function' ? patch(this.#edited(before, file)) : patch;
      return { patch: decided as JsonObject, overrides: overridesAfter(decided, before) };
    });
  }

  /** Creates and returns another token; the old token is invalid once this resolves. */
  async rotateToken(): Promise<string> {
    const authToken = randomBytes(AUTH_TOKEN_BYTES).toString('hex');
    await this.#change((overrides) => ({ patch: { network: { authToken } }, overrides }));
    return authToken;
  }

  #edited(overrides: Overrides, file: JsonObject): Config {
    const config = configOf(file, this.#sources.machine);
    return typeof config === 'string' ? this.#current : overridden(config, overrides);
  }

  /** Reads the file anew for each change, so that edits a user made meanwhile are kept and apply with the change. */
  async #readFile(): Promise<JsonObject> {
    const file = await readConfigFile(this.#sources.configFile).catch((cause: unknown) => {
      throw new DomainError('config-file-broken', undefined, { cause });
    });
    // The next start refuses such a file; a change must not take its place.
    if (!isObject(file)) throw new DomainError('config-file-broken', 'The config file is no JSON object');
    return file;
  }

  #change(decide: Decide): Promise<void> {
    return this.#inTurn(() => this.#makeChange(decide));
  }

  async #makeChange(decide: Decide): Promise<void> {
    const edited = await this.#readFile();
    const { patch, overrides } = decide(this.#overrides, edited);
    const file = mergePatch(edited, patch);
    const before = this.#current;
    // There is always a token: a patch that resets the section to its defaults keeps the token.
    const { network } = file;
    const authToken =
      isObject(network) && network.authToken !== undefined ? network.authToken : before.network.authToken;
    file.network = { ...(isObject(network) ? network : {}), authToken };
    const config = configOf(file, this.#sources.machine);
    if (typeof config === 'string') throw new DomainError('invalid-request', config);
    const next = overridden(config, overrides);
    const clash = portClash(next);
    if (clash !== undefined) throw new DomainError('invalid-request', clash);
    this.#coming = next;
    try {
      const takeBack = await this.#apply(next);
      await writeConfigFile(this.#sources.configFile, file).catch(async (cause: unknown) => {
        await takeBack();
        throw new DomainError('config-file-not-written', undefined, { cause });
      });
    } finally {
      this.#coming = undefined;
    }
    this.#overrides = overrides;
    this.#current = next;
    this.#changed();
  }
}

/** Throws the reason why a file was not written in place of a failed request: at the start nobody has requested anything. */
function asConfigError(error: unknown): never {
  throw error instanceof DomainError && error.cause instanceof ConfigError ? error.cause : error;
}

/** Returns the overrides that remain: a setting changed while the service runs wins over the command line. */
function overridesAfter({ network, mcp, dashboard }: SettingsPatch, before: Overrides): Overrides {
  return {
    network: network?.port === undefined ? before.network : undefined,
    mcp: mcp?.port === undefined ? before.mcp : undefined,
    dashboard: dashboard?.port === undefined ? before.dashboard : undefined,
    isMcpOff: before.isMcpOff === true && mcp?.enabled === undefined,
  };
}

/** Returns a message that names two settings with the same port, among the ports to listen on; undefined if none. */
function portClash({ network, mcp, dashboard }: Config): string | undefined {
  const ports = [
    { name: 'network.port', port: network.port },
    ...(mcp.enabled ? [{ name: 'mcp.port', port: mcp.port }] : []),
    ...(dashboard.enabled ? [{ name: 'dashboard.port', port: dashboard.port }] : []),
  ].filter(({ port }) => port !== 0);
  for (const { name, port } of ports) {
    const other = ports.find((each) => each.port === port);
    if (other && other.name !== name) return `${other.name} and ${name} are both ${port}`;
  }
  return undefined;
}

function overridden({ network, mcp, dashboard, ...rest }: Config, by: Overrides): Config {
  return {
    ...rest,
    network: { ...network, port: by.network ?? network.port },
    mcp: { ...mcp, port: by.mcp ?? mcp.port, enabled: mcp.enabled && by.isMcpOff !== true },
    dashboard: { ...dashboard, port: by.dashboard ?? dashboard.port },
  };
}
