import { z } from 'zod';
import { builtInCliTypes, type CliType, CUSTOM_CLI_TYPE } from '../contract/execute.js';
import {
  AGENT_SUBMIT_DELAY_MS,
  DEFAULT_API_PORT,
  DEFAULT_DASHBOARD_PORT,
  DEFAULT_KEEP_EXITED_MS,
  DEFAULT_MCP_PORT,
  DEFAULT_ORPHAN_MS,
  DEFAULT_SCROLLBACK,
  MAX_PORT,
  MAX_SCROLLBACK,
  MAX_SHARDS,
  MAX_SUBMIT_DELAY_MS,
  MAX_TIMER_MS,
  MIN_PORT,
} from '../contract/limits.js';

/** A port a setting may name; 0 is any free one. */
export const Port = z
  .int()
  .refine(
    (port) => port === 0 || (port >= MIN_PORT && port <= MAX_PORT),
    `must be 0 or a port from ${MIN_PORT} to ${MAX_PORT}`,
  );

/** `scheme://host[:port]`, as browsers send it: no path, no wildcard. */
const Origin = z
  .string()
  .transform((text) => text.toLowerCase().replace(/\/$/, ''))
  .refine(
    (text) => /^[a-z][a-z0-9+.-]*:\/\/[^\s/*]+$/.test(text),
    'must be an origin such as http://localhost:8080',
  );

const milliseconds = z.int().min(0).max(MAX_TIMER_MS);

/** An entry of `cliTypes`; what it leaves out comes from the built-in of that name. */
const CliTypeSetting = z.object({
  submit: z.string().min(1).optional(),
  submitDelayMs: z.int().min(0).max(MAX_SUBMIT_DELAY_MS).optional(),
});

/** The config file. Every section and every key may be absent; keys it does not know are left alone. */
const Settings = z.object({
  network: z
    .object({ port: Port.default(DEFAULT_API_PORT), allowedOrigins: z.array(Origin).default([]) })
    .prefault({}),
  mcp: z.object({ port: Port.default(DEFAULT_MCP_PORT) }).prefault({}),
  dashboard: z.object({ port: Port.default(DEFAULT_DASHBOARD_PORT) }).prefault({}),
  terminals: z
    .object({
      defaultProfile: z.string().optional(),
      scrollback: z.int().min(0).max(MAX_SCROLLBACK).default(DEFAULT_SCROLLBACK),
      keepExitedMs: milliseconds.default(DEFAULT_KEEP_EXITED_MS),
      orphanMs: milliseconds.default(DEFAULT_ORPHAN_MS),
      /** One less than the cores, at least 1, when absent. */
      shards: z.int().min(1).max(MAX_SHARDS).optional(),
    })
    .prefault({}),
  cliTypes: z.record(z.string().min(1), CliTypeSetting).default({}),
});
type Settings = z.infer<typeof Settings>;

/** What the service runs with: the settings, completed by what this machine decides. */
export interface Config extends Omit<Settings, 'terminals' | 'cliTypes'> {
  terminals: Settings['terminals'] & { shards: number };
  /** The built-in CLI types under those of the settings. */
  cliTypes: Record<string, CliType>;
}

/** Facts of the machine that defaults depend on. */
export interface Machine {
  /** As `process.platform`. */
  platform: string;
  /** Cores that this process may use. */
  cores: number;
}

/** Lays the settings' CLI types over the built-ins. A message says what is wrong with one. */
function mergeCliTypes(settings: Settings['cliTypes'], platform: string): Record<string, CliType> | string {
  const merged = builtInCliTypes(platform);
  for (const [name, { submit, submitDelayMs }] of Object.entries(settings)) {
    if (name === CUSTOM_CLI_TYPE) return `cliTypes.${name}: is reserved for the request's own customPattern`;
    const base = Object.hasOwn(merged, name) ? merged[name] : undefined;
    const keys = submit ?? base?.submit;
    if (keys === undefined) return `cliTypes.${name}.submit: is needed for a new CLI type`;
    merged[name] = {
      submit: keys,
      submitDelayMs: submitDelayMs ?? base?.submitDelayMs ?? AGENT_SUBMIT_DELAY_MS,
    };
  }
  return merged;
}

/** Reads settings as parsed from JSON. Gives the config, or one line that names the setting that is wrong. */
export function configOf(settings: unknown, machine: Machine): Config | string {
  const parsed = Settings.safeParse(settings);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return `${issue?.path.join('.') || 'the file'}: ${issue?.message}`;
  }
  const cliTypes = mergeCliTypes(parsed.data.cliTypes, machine.platform);
  if (typeof cliTypes === 'string') return cliTypes;
  const shards = parsed.data.terminals.shards ?? Math.min(MAX_SHARDS, Math.max(1, machine.cores - 1));
  return { ...parsed.data, terminals: { ...parsed.data.terminals, shards }, cliTypes };
}
