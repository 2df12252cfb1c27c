import { z } from 'zod';
import { Grant } from './access.js';
import { waiting } from './admission.js';
import { Labels } from './labels.js';
import {
  DEFAULT_COLS,
  DEFAULT_ROWS,
  HOLD_MS,
  MAX_DIMENSION,
  MAX_PATH_CHARS,
  MAX_PROCESS_STRINGS_CHARS,
  MIN_DIMENSION,
} from './limits.js';
import { NamedSecrets } from './redaction/redact-settings.js';
import { environment, fitsProcess, label, processString } from './strings.js';
import { AskedLimits, HeldLimits } from './terminal-limits.js';

const dimension = z.int().min(MIN_DIMENSION).max(MAX_DIMENSION);

/** Backend of a terminal: a PTY of the pty host's own, or a session of this instance's tmux server. */
export const Backend = z.enum(['pty', 'tmux']);
export type Backend = z.infer<typeof Backend>;

/** Environment variable with the terminal's id, set for every program in a terminal. */
export const TERMINAL_ID_VARIABLE = 'SERVICE_TERMINAL_ID';

/** Kind of client that created a terminal. */
export type TerminalMode = 'api' | 'mcp' | 'ui' | 'fleet';

/** Origin of typed input, shown as `lastInputSource`. */
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
  /** Whether the kernel killed programs of the terminal for want of memory; absent if that is unknown. */
  oomKilled?: boolean | undefined;
}

/** The Terminal object of the API. For an exited terminal that is still kept, includes how the program ended. */
export const Terminal = z
  .object({
    id: z.string(),
    processId: z.string().describe('The same as `id`'),
    name: z.string(),
    profile: z.string().describe('Id of the profile with which it was created'),
    status: z.enum(['running', 'exited']),
    pid: z.int().describe('Process id of the shell'),
    createdAt: z.int().describe('Epoch milliseconds'),
    mode: z.enum(['api', 'mcp', 'ui', 'fleet']).describe('Who created it'),
    tabId: z.string(),
    labels: Labels,
    backend: z.literal('tmux').optional().describe('Present if the terminal lives in tmux'),
    attach: z
      .string()
      .optional()
      .describe('Present while it runs in tmux: the command line that attaches to it, for any shell'),
    exitCode: z.int().nullable().optional().describe('Once exited: its exit code; null if a signal ended it'),
    signal: z
      .string()
      .nullable()
      .optional()
      .describe('Once exited: the signal that ended it, such as `SIGKILL`; null if it ended by itself'),
    exitedAt: z.int().optional().describe('Once exited: time of its end in epoch milliseconds'),
    reason: ExitReason.optional().describe(
      'Once exited, if the exit status is unknown: the process that held the terminal was killed, either the pty host ' +
        '(`host-lost`) or the tmux server (`tmux-lost`). Its programs have been ended, or are being ended',
    ),
    oomKilled: z
      .boolean()
      .optional()
      .describe(
        'Once exited: whether the kernel killed its programs for want of memory: at the limit of its control group, or since ' +
          'the machine had none left. Absent if that is unknown: without a limit of memory by `cgroup`, or if the pty host was lost',
      ),
    limits: HeldLimits.optional().describe('Present if limits were asked for: which of them hold'),
  })
  .meta({ id: 'Terminal' });
export type Terminal = z.infer<typeof Terminal>;

/** Answer of `POST /api/terminals`. */
export const CreatedTerminal = Terminal.extend({
  warnings: z
    .array(z.string())
    .optional()
    .describe(
      'Parts of the request that have no effect, such as a misspelt field, or a limit that cannot be held',
    ),
}).meta({ id: 'CreatedTerminal' });

/** Body of `POST /api/terminals`; every field is optional. */
export const CreateTerminal = z
  .object({
    cols: dimension.default(DEFAULT_COLS),
    rows: dimension.default(DEFAULT_ROWS),
    profileId: z.string().optional().describe('An unknown id means the default profile'),
    profile: z.string().optional().describe('Alias of `profileId`, which takes precedence'),
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
      .describe('false turns shell integration off, so that the commands of the shell are not tracked'),
    backend: Backend.optional().describe(
      'Defaults to the setting `terminals.backend`; `tmux` is refused if tmux is unavailable',
    ),
    hold: z
      .boolean()
      .optional()
      .describe(
        'true holds the output for the first reader of `/stream?from=start`, and lets the program wait for that ' +
          `reader; without a reader only for ${HOLD_MS / 1_000} s`,
      ),
    index: z.boolean().optional().describe('false keeps its output and its input out of the search index'),
    ...waiting,
    limits: AskedLimits.optional(),
    ...{ secrets: NamedSecrets.optional(), grant: Grant.optional() },
  })
  .refine(
    ({ env = {}, command = [] }) => fitsProcess(env, command),
    `env and command together are longer than ${MAX_PROCESS_STRINGS_CHARS} characters`,
  );
export type CreateTerminal = z.infer<typeof CreateTerminal>;

/** Body of `PATCH /api/terminals/:id`. */
export const UpdateTerminal = z.object({
  name: label.optional(),
  labels: z
    .record(z.string(), z.string().nullable())
    .optional()
    .describe('Merged into the labels of the terminal; null removes a label'),
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
  totalLines: z.int().describe('Number of lines that are not empty'),
  offset: z.int(),
  raw: z
    .string()
    .describe(
      'The lines of this page, joined by line feeds, without escape sequences. With `since`, the text as it was printed: with empty lines, and with a line feed at the end of each complete line',
    ),
  cursor: z.string().optional().describe('Opaque; pass it as `since`'),
  gap: z
    .boolean()
    .optional()
    .describe(
      'With `since`: whether output after the cursor is missing, since it is no longer in the history',
    ),
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
      'Bytes of output that `snapshot` and `pending` show, counted as in `/ws?seq=1`; absent if there is no such terminal',
    ),
  pending: z
    .string()
    .optional()
    .describe(
      'Unfinished escape sequence at the end of the output, to be written after `snapshot`; nearly always empty',
    ),
});
export type Snapshot = z.infer<typeof Snapshot>;

/** The content of a terminal, as rows of text with SGR sequences. */
export const Capture = z.object({
  content: z
    .string()
    .describe('The rows, joined by line feeds; each row begins and ends with default attributes'),
  line_count: z
    .int()
    .describe(
      'Number of rows in `content`: those of the screen, and those of the scrollback if it is included',
    ),
  includes_scrollback: z.boolean(),
  cursor_position: z
    .tuple([z.int(), z.int()])
    .nullable()
    .describe('Row and column of the cursor on the screen, from 0; null if the terminal has exited'),
});
export type Capture = z.infer<typeof Capture>;

/** Body of `POST /api/terminals/:id/resize-reflow`. */
export const ResizeReflow = TerminalSize.extend({
  /** Whether the answer includes the content of a terminal whose lines were wrapped anew. */
  capture_content: z.boolean().default(true),
});

/** Answer of `POST /api/terminals/:id/resize-reflow`. */
export const Reflowed = TerminalSize.extend({
  status: z.literal('ok'),
  reflow_applied: z.boolean().describe('Whether the content was reflowed; only tmux-backed terminals do so'),
  content: Capture.optional().describe('The reflowed content, scrollback included'),
});
export type Reflowed = z.infer<typeof Reflowed>;
