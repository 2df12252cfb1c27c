import { z } from 'zod';
import { accessSettings, DEFAULT_ACCESS } from './access.js';
import { AgentPatch, AgentSetting } from './agent-setting.js';
import { auditSettings, DEFAULT_AUDIT } from './audit.js';
import { DEFAULT_FLEET, fleetSettings, fleetWithoutDefault } from './fleet-setting.js';
import { DEFAULT_INPUT, inputSettings } from './input-gate.js';
import { limits, limitsPatch } from './limit-settings.js';
import {
  DEFAULT_API_PORT,
  DEFAULT_DASHBOARD_PORT,
  DEFAULT_KEEP_EXITED_MS,
  DEFAULT_MCP_PORT,
  DEFAULT_ORPHAN_MS,
  DEFAULT_PROGRAM_NICE,
  DEFAULT_SCROLLBACK,
  DEFAULT_SEARCH_BYTES,
  DEFAULT_SESSION_IDLE_MS,
  MAX_ALLOWED_ORIGINS,
  MAX_KEEP_DAYS,
  MAX_LABEL_CHARS,
  MAX_NICE,
  MAX_SCROLLBACK,
  MAX_SEARCH_BYTES,
  MAX_SHARDS,
  MAX_SUBMIT_DELAY_MS,
  MAX_TABLE_ENTRIES,
  MAX_TIMER_MS,
  MIN_SEARCH_BYTES,
  MIN_SESSION_IDLE_MS,
} from './limits.js';
import { Port } from './port.js';
import { RedactPatternsPatch, redactSettings } from './redaction/redact-settings.js';
import { Backend } from './terminal.js';

/** An origin `scheme://host[:port]` as browsers send it: no path, no wildcard. */
const Origin = z
  .string()
  .overwrite((text) => withoutDefaultPort(text.toLowerCase().replace(/\/$/, '')))
  .refine(
    (text) => /^[a-z][a-z0-9+.-]*:\/\/[^\s/*]+$/.test(text),
    'must be an origin such as http://localhost:8080',
  );

/** Browsers leave the port of the scheme out, so an origin with it would match no page. */
function withoutDefaultPort(origin: string): string {
  return origin.replace(/^(http:\/\/.+):80$|^(https:\/\/.+):443$/, '$1$2');
}

const milliseconds = z.int().min(0).max(MAX_TIMER_MS);
const name = z.string().min(1).max(MAX_LABEL_CHARS);

/** An entry of `cliTypes`; absent fields come from the built-in type of that name. */
const CliTypeSetting = z.object({
  submit: z.string().min(1).max(MAX_LABEL_CHARS).optional(),
  submitDelayMs: z.int().min(0).max(MAX_SUBMIT_DELAY_MS).optional(),
});

function tableOf<Entry extends z.ZodType>(entry: Entry) {
  return z
    .record(name, entry)
    .refine((table) => Object.keys(table).length <= MAX_TABLE_ENTRIES, 'has too many entries');
}

/** Users of this machine that are served. `own`: the user that the service runs as, and root. */
export const LocalUsersSetting = z.enum(['own', 'any']);
export type LocalUsersSetting = z.infer<typeof LocalUsersSetting>;

const network = {
  /** Whether to listen on every address of the machine and require the token. */
  expose: z.boolean(),
  port: Port,
  authToken: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hex characters'),
  /** Origins of pages that may use the API, besides the dashboard. */
  allowedOrigins: z.array(Origin).max(MAX_ALLOWED_ORIGINS),
  localUsers: LocalUsersSetting.describe(
    'Which users of this machine are served while the service is not exposed. `own`: the user that the service runs as, and root. `any`: all users',
  ),
};
const dashboard = { enabled: z.boolean(), port: Port };
const mcp = {
  enabled: z.boolean(),
  port: Port,
  sessionIdleMs: z
    .int()
    .min(MIN_SESSION_IDLE_MS)
    .max(MAX_TIMER_MS)
    .describe(
      'Milliseconds after which an unused MCP session is dropped; its client can continue under the same session id',
    ),
};
const terminals = {
  /** Id of a profile; the id of a profile that does not exist counts as unset. */
  defaultProfile: name,
  backend: Backend.describe(
    'Backend of terminals that are created from now on; if tmux is unavailable, they are plain PTYs',
  ),
  /** Whether shells report their commands. A terminal may be created without. */
  shellIntegration: z.boolean(),
  /** Lines of scrollback. */
  scrollback: z.int().min(0).max(MAX_SCROLLBACK),
  keepExitedMs: milliseconds,
  orphanMs: milliseconds,
  nice: z
    .int()
    .min(0)
    .max(MAX_NICE)
    .describe(
      'Nice value of programs in terminals that are created from now on, which keeps the service responsive beside them; 0 leaves it unchanged',
    ),
  /** Number of shards. When absent: the cores less one, at least 1. */
  shards: z.int().min(1).max(MAX_SHARDS),
};
const search = {
  index: z.boolean(),
  maxBytes: z.int().min(MIN_SEARCH_BYTES).max(MAX_SEARCH_BYTES),
  redact: z.boolean().describe('Whether secrets are replaced in text before it is indexed'),
};
const recordings = {
  keepDays: z
    .int()
    .min(0)
    .max(MAX_KEEP_DAYS)
    .describe('Days after which a finished recording is deleted; 0 keeps recordings until they are deleted'),
  maxBytes: z
    .int()
    .min(0)
    .describe(
      'Bytes of all finished recordings together, as the list counts their `size`: beyond them the oldest are deleted; 0 sets no limit',
    ),
  redactExports: z
    .boolean()
    .describe('Whether exports as text, HTML and asciicast replace secrets; a request may say otherwise'),
};
const cliTypes = tableOf(CliTypeSetting);
const agents = tableOf(AgentSetting);

/** The config file. Every section and every key may be absent; unknown keys are ignored and stay in the file. */
export const SettingsFile = z.object({
  network: z.object(network).partial().default({}),
  mcp: z.object(mcp).partial().default({}),
  dashboard: z.object(dashboard).partial().default({}),
  terminals: z.object(terminals).partial().default({}),
  input: z.object(inputSettings).partial().default({}),
  search: z.object(search).partial().default({}),
  recordings: z.object(recordings).partial().default({}),
  limits: z.object(limits).partial().default({}),
  redact: z.object(redactSettings).partial().default({}),
  audit: z.object(auditSettings).partial().default({}),
  access: z.object(accessSettings).partial().default({}),
  fleet: z.object(fleetSettings).partial().default({}),
  cliTypes: cliTypes.default({}),
  agents: agents.default({}),
});
export type SettingsFile = z.infer<typeof SettingsFile>;

/** Values of settings that the config file leaves out. */
export const DEFAULT_SETTINGS = {
  network: { expose: false, port: DEFAULT_API_PORT, allowedOrigins: [], localUsers: 'own' },
  mcp: { enabled: true, port: DEFAULT_MCP_PORT, sessionIdleMs: DEFAULT_SESSION_IDLE_MS },
  dashboard: { enabled: true, port: DEFAULT_DASHBOARD_PORT },
  terminals: {
    backend: 'pty',
    shellIntegration: true,
    scrollback: DEFAULT_SCROLLBACK,
    keepExitedMs: DEFAULT_KEEP_EXITED_MS,
    orphanMs: DEFAULT_ORPHAN_MS,
    nice: DEFAULT_PROGRAM_NICE,
  },
  input: DEFAULT_INPUT,
  search: { index: true, maxBytes: DEFAULT_SEARCH_BYTES, redact: false },
  recordings: { keepDays: 0, maxBytes: 0, redactExports: false },
  redact: { patterns: {}, allow: [] },
  audit: DEFAULT_AUDIT,
  access: DEFAULT_ACCESS,
  fleet: DEFAULT_FLEET,
} as const;

/** Names the settings that do not exist by their paths, as `config get` does. */
const noSetting: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'unrecognized_keys'
    ? `There is no setting ${issue.keys.map((key) => [...(issue.path ?? []), key].join('.')).join(', ')}`
    : undefined;

function patchOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const fields = Object.entries(shape).map(([key, field]) => [
    key,
    (field as z.ZodType).nullable().optional(),
  ]);
  return z.strictObject(Object.fromEntries(fields), { error: noSetting }).nullable().optional();
}

/**
 * Body of `PATCH /api/settings`: applied to the config file as a JSON merge patch (RFC 7396), so that null resets a
 * setting to its default. Unknown keys are refused.
 */
export const SettingsPatch = z.strictObject(
  {
    // The present token, masked or not, is accepted and changes nothing, so that an answer of GET can be sent back.
    network: patchOf({ ...network, authToken: z.string() }),
    mcp: patchOf(mcp),
    dashboard: patchOf(dashboard),
    terminals: patchOf(terminals),
    input: patchOf(inputSettings),
    search: patchOf(search),
    recordings: patchOf(recordings),
    limits: patchOf(limitsPatch),
    redact: patchOf({ ...redactSettings, patterns: RedactPatternsPatch }),
    audit: patchOf(auditSettings),
    access: patchOf(accessSettings),
    fleet: patchOf(fleetSettings),
    cliTypes: z.record(name, patchOf(CliTypeSetting.shape).unwrap()).nullable().optional(),
    agents: z.record(name, patchOf(AgentPatch.shape).unwrap()).nullable().optional(),
  },
  { error: noSetting },
);
export type SettingsPatch = z.infer<typeof SettingsPatch>;

/** Answer of `GET` and `PATCH /api/settings`: the settings that the service runs with, defaults included. */
export const SettingsAnswer = z.object({
  network: z.object({
    ...network,
    authToken: z.string().describe('Masked except for its end, unless ?reveal=true'),
  }),
  mcp: z.object(mcp),
  dashboard: z.object(dashboard),
  terminals: z.object({ ...terminals, defaultProfile: name.optional() }),
  input: z.object(inputSettings),
  search: z.object(search),
  recordings: z.object(recordings),
  limits: z.object(limits).partial(),
  redact: z.object(redactSettings),
  audit: z.object(auditSettings),
  access: z.object(accessSettings),
  fleet: z.object(fleetSettings).partial(fleetWithoutDefault),
  cliTypes: z.record(name, z.object({ submit: z.string(), submitDelayMs: z.int() })),
  agents,
  restartRequired: z
    .array(z.string())
    .describe('Settings that were changed since the start and take effect at the next start'),
});
export type SettingsAnswer = z.infer<typeof SettingsAnswer>;

/** Answer of `POST /api/settings/token/rotate`. */
export const RotatedToken = z.object({ authToken: z.string() });
