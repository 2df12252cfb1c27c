import { builtInCliTypes, type CliType, CUSTOM_CLI_TYPE } from '../contract/execute.js';
import { wordsOfIssue } from '../contract/issue-words.js';
import { AGENT_SUBMIT_DELAY_MS, MAX_SHARDS } from '../contract/limits.js';
import type { RedactSettings } from '../contract/redaction/redact-settings.js';
import { DEFAULT_SETTINGS, SettingsFile } from '../contract/settings.js';

/** A section of the settings with its defaults filled in; a setting without a default may be absent. */
type Completed<Section extends keyof typeof DEFAULT_SETTINGS> = SettingsFile[Section] &
  Required<
    Pick<SettingsFile[Section], keyof (typeof DEFAULT_SETTINGS)[Section] & keyof SettingsFile[Section]>
  >;

/** Configuration that the service runs with: the settings, completed by values that depend on this machine. */
export interface Config {
  network: Completed<'network'>;
  mcp: Completed<'mcp'>;
  dashboard: Completed<'dashboard'>;
  terminals: Completed<'terminals'> & { shards: number };
  input: Completed<'input'>;
  search: Completed<'search'>;
  recordings: Completed<'recordings'>;
  redact: RedactSettings;
  audit: Completed<'audit'>;
  access: Completed<'access'>;
  fleet: Completed<'fleet'>;
  /** The built-in CLI types, overridden and extended by the types of the settings. */
  cliTypes: Record<string, CliType>;
  agents: SettingsFile['agents'];
  /** When no further terminal is created; without a key there is no such limit. */
  limits: SettingsFile['limits'];
}

/** Facts of the machine that defaults depend on. */
export interface Machine {
  /** As `process.platform`. */
  platform: string;
  /** Cores that this process may use. */
  cores: number;
}

/** Returns the built-in CLI types with the settings' types on top, or a message if a type is wrong. */
function mergeCliTypes(
  settings: SettingsFile['cliTypes'],
  platform: string,
): Record<string, CliType> | string {
  const merged = builtInCliTypes(platform);
  for (const [name, { submit, submitDelayMs }] of Object.entries(settings)) {
    if (name === CUSTOM_CLI_TYPE) return `cliTypes.${name}: is reserved for the request's own customPattern`;
    const base = Object.hasOwn(merged, name) ? merged[name] : undefined;
    const keys = submit ?? base?.submit;
    if (keys === undefined) return `cliTypes.${name}.submit: is required for a new CLI type`;
    merged[name] = {
      submit: keys,
      submitDelayMs: submitDelayMs ?? base?.submitDelayMs ?? AGENT_SUBMIT_DELAY_MS,
    };
  }
  return merged;
}

/** Validates settings parsed from JSON. Returns the config, or one line that names the setting at fault. */
export function configOf(settings: unknown, machine: Machine): Config | string {
  const parsed = SettingsFile.safeParse(settings);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return `${issue?.path.join('.') || 'the file'}: ${issue && wordsOfIssue(issue)}`;
  }
  const { network, mcp, dashboard, terminals, input, search, recordings, redact, agents, limits } =
    parsed.data;
  const { audit, access, fleet } = parsed.data;
  const cliTypes = mergeCliTypes(parsed.data.cliTypes, machine.platform);
  if (typeof cliTypes === 'string') return cliTypes;
  const shards = Math.min(MAX_SHARDS, Math.max(1, machine.cores - 1));
  return {
    network: { ...DEFAULT_SETTINGS.network, allowedOrigins: [], ...network },
    mcp: { ...DEFAULT_SETTINGS.mcp, ...mcp },
    dashboard: { ...DEFAULT_SETTINGS.dashboard, ...dashboard },
    terminals: { ...DEFAULT_SETTINGS.terminals, shards, ...terminals },
    input: { ...DEFAULT_SETTINGS.input, ...input },
    search: { ...DEFAULT_SETTINGS.search, ...search },
    recordings: { ...DEFAULT_SETTINGS.recordings, ...recordings },
    redact: { patterns: {}, allow: [], ...redact },
    audit: { ...DEFAULT_SETTINGS.audit, ...audit },
    access: { ...DEFAULT_SETTINGS.access, ...access },
    fleet: { ...DEFAULT_SETTINGS.fleet, ...fleet },
    cliTypes,
    agents,
    limits,
  };
}
