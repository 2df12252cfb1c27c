import { z } from 'zod';
import { AgentState } from './agent.js';

/** Answer of `GET /api/system/info`. */
export const SystemInfo = z.object({
  platform: z.enum(['windows', 'macos', 'linux']),
  arch: z.string().describe('For example x86_64, aarch64'),
  version: z.string().describe('Version of the service'),
  hostname: z.string().describe('`unknown` if the machine has none'),
  ptyHost: z
    .object({
      pid: z.int(),
      version: z.string().nullable().describe('Its version; null before 0.1.0'),
    })
    .describe('The process that holds the terminals; it may be of another version than the service'),
  uptime: z
    .int()
    .describe("The machine's clock in seconds since the Unix epoch, not the time since it was started"),
});
export type SystemInfo = z.infer<typeof SystemInfo>;

/** A terminal as `GET /api/processes` shows it: its shell, and its foreground process. */
export const ProcessEntry = z.object({
  id: z.string().describe('Terminal id'),
  pid: z.int().describe('Process id of the shell'),
  shell: z.string(),
  name: z.string().describe('Name of the terminal'),
  currentApp: z
    .object({ pid: z.int(), name: z.string() })
    .describe('The foreground process; the shell when nothing else runs'),
  ...AgentState.shape,
  agentExe: z
    .string()
    .nullable()
    .describe('Executable of the agent; null if there is no agent or the system hides it'),
  lastInputSource: z.enum(['user', 'api', 'mcp', 'fleet']).nullable(),
  lastInputAt: z.int().nullable().describe('Epoch milliseconds'),
  createdAt: z.int().describe('Epoch milliseconds'),
  isAlive: z.literal(true),
});
export type ProcessEntry = z.infer<typeof ProcessEntry>;

/** Answer of `GET /api/processes`. */
export const ProcessList = z.object({ processes: z.array(ProcessEntry), count: z.int() });
export type ProcessList = z.infer<typeof ProcessList>;

/** Answer of `GET /api/processes/:id/metrics`: all processes of one terminal together. */
export const ProcessMetrics = z.object({
  id: z.string().describe('Terminal id'),
  cpu: z.number().describe('Percent of one core; several busy cores give more than 100'),
  memory: z.number().describe('Resident bytes'),
  timestamp: z.string().describe('RFC 3339'),
});
export type ProcessMetrics = z.infer<typeof ProcessMetrics>;

/** Answer of `GET /api/system/tmux-status`. */
export const TmuxStatus = z.object({
  available: z.boolean().describe('Whether tmux 3.2 or later was found'),
  tmux_path: z.string().describe('`wsl.exe` when reached via WSL; empty when unavailable'),
  wsl_distro: z.string().nullable(),
  active_sessions: z
    .int()
    .describe("Terminals in this instance's own tmux server; other tmux servers do not count"),
});
export type TmuxStatus = z.infer<typeof TmuxStatus>;
