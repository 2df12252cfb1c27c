import { z } from 'zod';
import { Labels } from './labels.js';
import {
  DEFAULT_COLS,
  DEFAULT_ROWS,
  MAX_DIMENSION,
  MAX_PATH_CHARS,
  MAX_PROCESS_STRINGS_CHARS,
  MIN_DIMENSION,
} from './limits.js';
import { environment, fitsProcess, label, processString } from './strings.js';

const dimension = z.int().min(MIN_DIMENSION).max(MAX_DIMENSION);

/** What a terminal runs on: a PTY of the pty host's own, or a session of this instance's tmux server. */
export const Backend = z.enum(['pty', 'tmux']);
export type Backend = z.infer<typeof Backend>;

/** Environment variable with the terminal's id, set for every program in a terminal. */
export const TERMINAL_ID_VARIABLE = 'SERVICE_TERMINAL_ID';

/** Who created a terminal. */
export type TerminalMode = 'api' | 'mcp' | 'ui' | 'fleet';

/** Who typed: shown as `lastInputSource`. */
export type InputOrigin = 'user' | 'api' | 'mcp' | 'fleet';

/** Why it is unknown how a program ended: the pty host or the tmux server was lost. */
export const ExitReason = z.enum(['host-lost', 'tmux-lost']);
export type ExitReason = z.infer<typeof ExitReason>;

/** How a terminal's program ended: by itself (`exitCode`) or by a signal (`signal`); the other field is null. */
export interface ExitStatus {
  exitCode: number | null;
  /** Name of the signal, such as `SIGKILL`. */
  signal: string | null;
  /** Time of the end, in epoch milliseconds. */
  exitedAt: number;
  /** Set if it is unknown how the program ended: `exitCode` and `signal` are then both null. */
  reason?: ExitReason | undefined;
}

/** The Terminal object of the API. For an exited terminal that is still kept, includes how the program ended. */
export const Terminal = z
  .object({
    id: z.string(),
    processId: z.string().describe('The same as `id`'),
    name: z.string(),
    profile: z.string().describe('Id of the profile that it was created with'),
    status: z.enum(['running', 'exited']),
    pid: z.int().describe('Of the shell'),
    createdAt: z.int().describe('Epoch milliseconds'),
    mode: z.enum(['api', 'mcp', 'ui', 'fleet']).describe('Who created it'),
    tabId: z.string(),
    labels: Labels,
    backend: z.literal('tmux').optional().describe('Only of a terminal that lives in tmux'),
    attach: z
      .string()
      .optional()
      .describe('While it runs in tmux: the command line by which a person joins it, for any shell'),
    exitCode: z.int().nullable().optional().describe('Once exited; null when a signal ended it'),
    signal: z.string().nullable().optional().describe('Once exited: the signal that ended it, as `SIGKILL`'),
    exitedAt: z.int().optional().describe('Once exited: epoch milliseconds'),
    reason: ExitReason.optional().describe(
      'Once exited, where nobody knows how: the process that held the terminal was killed, the pty host (`host-lost`) ' +
        'or the tmux server (`tmux-lost`). Its programs have been ended, or are being ended',
    ),
  })
  .meta({ id: 'Terminal' });
export type Terminal = z.infer<typeof Terminal>;

/** Answer of `POST /api/terminals`. */
export const CreatedTerminal = Terminal.extend({
  warnings: z
    .array(z.string())
    .optional()
    .describe('What of the request means nothing, such as a misspelt field'),
}).meta({ id: 'CreatedTerminal' });

/** Body of `POST /api/terminals`; every field is optional. */
export const CreateTerminal = z
  .object({
    cols: dimension.default(DEFAULT_COLS),
    rows: dimension.default(DEFAULT_ROWS),
    profileId: z.string().optional().describe('One that does not exist stands for the default profile'),
    profile: z.string().optional().describe('Alias of `profileId`, which wins'),
    name: label.optional(),
    cwd: processString.max(MAX_PATH_CHARS).optional(),
    env: environment.optional().describe("Added to the profile's environment"),
    command: z
      .array(processString)
      .min(1)
      .optional()
      .describe("Program and arguments to run in place of the profile's shell"),
    tabId: label.optional(),
    paneId: label.optional(),
    direction: z.enum(['horizontal', 'vertical']).optional(),
    parentTerminalId: label.optional(),
    labels: Labels.optional(),
    integration: z
      .boolean()
      .optional()
      .describe('false leaves the shell as it is, so that its commands are not tracked'),
    backend: Backend.optional().describe(
      'Where it is to live; the setting `terminals.backend` when absent. `tmux` is refused where it cannot be had',
    ),
    index: z
      .boolean()
      .optional()
      .describe('false keeps what it prints, and what is typed into it, out of the search index'),
  })
  .refine(
    ({ env = {}, command = [] }) => fitsProcess(env, command),
    `env and command are longer than ${MAX_PROCESS_STRINGS_CHARS} characters together`,
  );
export type CreateTerminal = z.infer<typeof CreateTerminal>;

/** Body of `PATCH /api/terminals/:id`. */
export const UpdateTerminal = z.object({
  name: label.optional(),
  labels: z
    .record(z.string(), z.string().nullable())
    .optional()
    .describe('Laid over those that it has; null takes a label away'),
});
export type UpdateTerminal = z.infer<typeof UpdateTerminal>;

/** Columns and rows, both required. */
export const TerminalSize = z.object({ cols: dimension, rows: dimension });
export type TerminalSize = z.infer<typeof TerminalSize>;

/** One of several writes that reach a terminal without other input between them. */
export interface InputPart {
  data: string;
  /** Milliseconds to wait after the previous part has reached the program; 0 when absent. */
  delayMs?: number;
}

/** Answer of `GET /api/terminals/:id/output`. */
export const OutputPage = z.object({
  totalLines: z.int().describe('Lines that are not empty'),
  offset: z.int(),
  raw: z
    .string()
    .describe(
      'The lines of this page, joined by line feeds, without escape sequences. With `since` the very text: with empty lines, and a line feed where a line has ended',
    ),
  cursor: z.string().optional().describe('Opaque; `since` takes it'),
  gap: z.boolean().optional().describe('With `since`: older output has gone from the history'),
});
export type OutputPage = z.infer<typeof OutputPage>;

/** Answer of `GET /api/terminals/:id/snapshot`. */
export const Snapshot = z.object({
  snapshot: z.string().describe('Escape sequences that draw the screen in a fresh terminal of this size'),
  rows: z.int(),
  cols: z.int(),
  seq: z
    .int()
    .optional()
    .describe(
      'Bytes of the terminal that `snapshot` and `pending` show, counted as in `/ws?seq=1`; absent where there is no such terminal',
    ),
  pending: z
    .string()
    .optional()
    .describe(
      'Beginning of an escape sequence that is not finished yet, to be written after `snapshot`; empty nearly always',
    ),
});
export type Snapshot = z.infer<typeof Snapshot>;

/** The content of a terminal, as rows of text with SGR sequences. */
export const Capture = z.object({
  content: z.string().describe('The rows, joined by line feeds; each starts and ends without attributes'),
  line_count: z
    .int()
    .describe('Rows in `content`: those of the screen, and of the scrollback when it is included'),
  includes_scrollback: z.boolean(),
  cursor_position: z
    .tuple([z.int(), z.int()])
    .nullable()
    .describe('Row and column on the screen, from 0; null for a terminal that has exited'),
});
export type Capture = z.infer<typeof Capture>;

/** Body of `POST /api/terminals/:id/resize-reflow`. */
export const ResizeReflow = TerminalSize.extend({
  /** Whether the answer includes the content, if it was reflowed. */
  capture_content: z.boolean().default(true),
});

/** Answer of `POST /api/terminals/:id/resize-reflow`. */
export const Reflowed = TerminalSize.extend({
  status: z.literal('ok'),
  reflow_applied: z.boolean().describe('Only a tmux-backed terminal reflows its content'),
  content: Capture.optional().describe('What was reflowed, scrollback included'),
});
export type Reflowed = z.infer<typeof Reflowed>;
