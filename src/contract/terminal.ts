import { z } from 'zod';
import {
  DEFAULT_COLS,
  DEFAULT_ROWS,
  MAX_DIMENSION,
  MAX_LABEL_CHARS,
  MAX_PATH_CHARS,
  MAX_PROCESS_STRING_CHARS,
  MAX_PROCESS_STRINGS_CHARS,
  MIN_DIMENSION,
} from './limits.js';

const dimension = z.int().min(MIN_DIMENSION).max(MAX_DIMENSION);

/** A string that reaches a process: text without NUL, which would cut it short in C. */
const processString = z
  .string()
  .max(MAX_PROCESS_STRING_CHARS)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character');

/** A name or id that a client chooses and the service keeps. */
const label = z.string().max(MAX_LABEL_CHARS);

/** Who created a terminal. */
export type TerminalMode = 'api' | 'mcp' | 'ui' | 'fleet';

/** Who typed: shown as `lastInputSource`. */
export type InputOrigin = 'user' | 'api' | 'mcp' | 'fleet';

/** How a terminal's program ended: by itself (`exitCode`) or by a signal (`signal`); the other one is null. */
export interface ExitStatus {
  exitCode: number | null;
  /** Name of the signal, as in `SIGKILL`. */
  signal: string | null;
  /** Epoch milliseconds. */
  exitedAt: number;
}

/** The Terminal object of the API. An exited terminal, while it is kept, also carries how it ended. */
export const Terminal = z.object({
  id: z.string(),
  processId: z.string(),
  name: z.string(),
  profile: z.string(),
  status: z.enum(['running', 'exited']),
  pid: z.int(),
  createdAt: z.int(),
  mode: z.enum(['api', 'mcp', 'ui', 'fleet']),
  tabId: z.string(),
  exitCode: z.int().nullable().optional(),
  signal: z.string().nullable().optional(),
  exitedAt: z.int().optional(),
});
export type Terminal = z.infer<typeof Terminal>;

/** Body of `POST /api/terminals`; every field is optional. */
export const CreateTerminal = z
  .object({
    cols: dimension.default(DEFAULT_COLS),
    rows: dimension.default(DEFAULT_ROWS),
    profileId: z.string().optional(),
    /** Alias of `profileId`, which wins. */
    profile: z.string().optional(),
    name: label.optional(),
    cwd: processString.max(MAX_PATH_CHARS).optional(),
    /** Added to the profile's environment. */
    env: z.record(z.string().regex(/^[^=\0]+$/, 'invalid variable name'), processString).optional(),
    /** Program and arguments to run in place of the profile's shell. */
    command: z.array(processString).min(1).optional(),
    tabId: label.optional(),
    paneId: label.optional(),
    direction: z.enum(['horizontal', 'vertical']).optional(),
    parentTerminalId: label.optional(),
    /** false keeps what it prints, and what is typed into it, out of the search index. */
    index: z.boolean().optional(),
  })
  .refine(({ env = {}, command = [] }) => {
    const strings = [...Object.entries(env).flat(), ...command];
    return strings.reduce((sum, text) => sum + text.length, 0) <= MAX_PROCESS_STRINGS_CHARS;
  }, `env and command are longer than ${MAX_PROCESS_STRINGS_CHARS} characters together`);
export type CreateTerminal = z.infer<typeof CreateTerminal>;

/** Columns and rows, both required. */
export const TerminalSize = z.object({ cols: dimension, rows: dimension });
export type TerminalSize = z.infer<typeof TerminalSize>;

/** One write of several that reach a terminal with nothing between them. */
export interface InputPart {
  data: string;
  /** Milliseconds to wait after the part before this one has reached the program; 0 when absent. */
  delayMs?: number;
}

/** Answer of `GET /api/terminals/:id/output`. */
export interface OutputPage {
  totalLines: number;
  offset: number;
  raw: string;
  /** Opaque; `?since=` takes it. */
  cursor?: string;
  /** With `since`: older output has gone from the history. */
  gap?: boolean;
}

/** Answer of `GET /api/terminals/:id/snapshot`. */
export interface Snapshot {
  snapshot: string;
  rows: number;
  cols: number;
}
