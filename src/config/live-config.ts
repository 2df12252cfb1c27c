import { randomBytes } from 'node:crypto';
import { DomainError } from '../contract/errors.js';
import { AUTH_TOKEN_BYTES } from '../contract/limits.js';
import { SettingsFile, type SettingsPatch } from '../contract/settings.js';
import { unknownKeys } from '../contract/unknown-keys.js';
import { ConfigError } from './config-error.js';
import { closeConfigFile, readConfigFile, writeConfigFile } from './config-file.js';
import { isObject, type JsonObject, mergePatch } from './merge-patch.js';
import type { Overrides } from './overrides.js';
import { type Config, configOf, type Machine } from './settings.js';

export interface ConfigSources {
  /** Path of config.json; its folder is there. */
  configFile: string;
  machine: Machine;
  overrides: Overrides;
}

/** Has a change take effect, and gives what takes it back. Throws where it cannot; nothing has changed then. */
export type ApplyChange = (next: Config) => Promise<() => Promise<void>>;

/** Used from the next start on: shards and pty host are told them once. */
const NEEDS_RESTART = ['scrollback', 'orphanMs', 'shards'] as const;

/** What a change is, decided in its turn: by the overrides that the one before has left. */
type Decide = (overrides: Overrides) => { patch: JsonObject; overrides: Overrides };

/** The configuration of the running service: the file, what stands over it, and changes while it runs. */
export class LiveConfig {
  readonly #sources: ConfigSources;
  readonly #atStart: Config;
  #overrides: Overrides;
  #current: Config;
  #coming: Config | undefined;
  /** Changes are made one after the other. */
  #changes: Promise<unknown> = Promise.resolve();
  #apply: ApplyChange = async () => async () => undefined;
  #changed: () => void = () => undefined;

  /** Keys of the config file, as it was at the start, that are no settings: they are kept, and mean nothing. */
  readonly unknownKeys: readonly string[];

  private constructor(sources: ConfigSources, config: Config, unknown: readonly string[]) {
    this.unknownKeys = unknown;
    this.#sources = sources;
    this.#overrides = sources.overrides;
    this.#current = overridden(config, sources.overrides);
    this.#atStart = config;
  }

  /**
   * Reads the config file, and makes the token when it has none. Throws ConfigError that names the file and the
   * setting at fault; such a file is left untouched.
   */
  static async open(sources: ConfigSources): Promise<LiveConfig> {
    const file = await readConfigFile(sources.configFile);
    const config = configOf(file, sources.machine);
    if (typeof config === 'string') throw new ConfigError(`${sources.configFile}: ${config}`);
    const live = new LiveConfig(sources, config, unknownKeys(SettingsFile, file));
    const clash = portClash(live.current);
    if (clash !== undefined) throw new ConfigError(clash);
    await closeConfigFile(sources.configFile);
    if (config.network.authToken === undefined) await live.rotateToken();
    return live;
  }

  /** What holds now; another object after each change. */
  get current(): Config {
    return this.#current;
  }

  /** What is to hold in a moment, while a change takes effect. Others may go by it already. */
  get coming(): Config | undefined {
    return this.#coming;
  }

  /** Names of changed settings that are used from the next start on. */
  get restartRequired(): string[] {
    const { terminals } = this.#current;
    return NEEDS_RESTART.filter((key) => terminals[key] !== this.#atStart.terminals[key]).map(
      (key) => `terminals.${key}`,
    );
  }

  /** `apply` has each change take effect before it is written, and may refuse it. */
  applyBy(apply: ApplyChange): void {
    this.#apply = apply;
  }

  /** `listener` is called after each change; {@link current} is the new one by then. */
  onChanged(listener: () => void): void {
    this.#changed = listener;
  }

  /**
   * Lays `patch` over the config file and has it take effect; a function is asked for it once the changes before have
   * taken effect. Rejects with an invalid-request that names the setting which is wrong, with what applying throws, or
   * with what the function does; nothing has changed then.
   */
  patch(patch: SettingsPatch | (() => SettingsPatch)): Promise<void> {
    return this.#change((before) => {
      const decided = typeof patch === 'function' ? patch() : patch;
      return { patch: decided as JsonObject, overrides: overridesAfter(decided, before) };
    });
  }

  /** Makes another token; the old one is worth nothing once this resolves. */
  async rotateToken(): Promise<string> {
    const authToken = randomBytes(AUTH_TOKEN_BYTES).toString('hex');
    await this.#change((overrides) => ({ patch: { network: { authToken } }, overrides }));
    return authToken;
  }

  /** Read anew for each change: what a user has written into it meanwhile stays, and takes effect with it. */
  async #readFile(): Promise<JsonObject> {
    try {
      const file = await readConfigFile(this.#sources.configFile);
      return isObject(file) ? file : {};
    } catch (cause) {
      throw new DomainError('config-file-broken', undefined, { cause });
    }
  }

  #change(decide: Decide): Promise<void> {
    const change = this.#changes.then(() => this.#makeChange(decide));
    this.#changes = change.catch(() => undefined);
    return change;
  }

  async #makeChange(decide: Decide): Promise<void> {
    const { patch, overrides } = decide(this.#overrides);
    const file = mergePatch(await this.#readFile(), patch);
    const before = this.#current;
    // A section that is taken back to its defaults keeps the token: there is always one.
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
      await writeConfigFile(this.#sources.configFile, file).catch(async (error: unknown) => {
        await takeBack();
        throw error;
      });
    } finally {
      this.#coming = undefined;
    }
    this.#overrides = overrides;
    this.#current = next;
    this.#changed();
  }
}

/** What is set while the service runs is meant for now, whatever the command line said. */
function overridesAfter({ network, mcp, dashboard }: SettingsPatch, before: Overrides): Overrides {
  return {
    network: network?.port === undefined ? before.network : undefined,
    mcp: mcp?.port === undefined ? before.mcp : undefined,
    dashboard: dashboard?.port === undefined ? before.dashboard : undefined,
    isMcpOff: before.isMcpOff === true && mcp?.enabled === undefined,
  };
}

/** Which settings name the same port, of those that are to be listened to. */
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
