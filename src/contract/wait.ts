import { z } from 'zod';
import { Command, ExitCodeReason, Integration } from './command.js';
import {
  DEFAULT_IDLE_MS,
  DEFAULT_WAIT_MS,
  MAX_ANSWER_BYTES,
  MAX_PATTERN_CHARS,
  MAX_WAIT_MS,
} from './limits.js';

/** Whether a coding agent is idle, works, or waits for an answer from its user. */
export const AgentStatus = z.enum(['idle', 'working', 'waiting']);
export type AgentStatus = z.infer<typeof AgentStatus>;

/** How the end of a command was detected. */
export const WaitedBy = z
  .enum(['integration', 'sentinel', 'foreground', 'idle'])
  .describe(
    "How the end was detected. `integration`: by the shell's marks. `sentinel`: by a line typed after the command. `foreground`: the shell is in the foreground again, and quiet. `idle`: the terminal is quiet",
  );
export type WaitedBy = z.infer<typeof WaitedBy>;

const timeoutMs = z.int().min(0).max(MAX_WAIT_MS);

/** Body of `POST /api/terminals/:id/wait`. */
export const WaitBody = z
  .object({
    until: z.enum(['command', 'exit', 'idle', 'text', 'prompt', 'agent']),
    text: z
      .string()
      .min(1)
      .max(MAX_PATTERN_CHARS)
      .optional()
      .describe('With `until: "text"`: the text to find'),
    regex: z
      .string()
      .min(1)
      .max(MAX_PATTERN_CHARS)
      .optional()
      .describe('With `until: "text"`, in place of `text`: a JavaScript regular expression, flags `mu`'),
    idleMs: z
      .int()
      .min(1)
      .max(MAX_WAIT_MS)
      .default(DEFAULT_IDLE_MS)
      .describe(
        'With `until: "idle"`: milliseconds without output. Also used if the end of a command has to be guessed',
      ),
    agentStatus: AgentStatus.optional().describe(
      'With `until: "agent"`: the status to wait for; if absent, any change of status',
    ),
    since: z
      .string()
      .optional()
      .describe(
        'A cursor. With `until: "text"`, only text printed after it counts; without a cursor, the present screen and all later output. With `until: "command"`, only a command that ran after it counts; without a cursor, the command that runs now or was submitted last',
      ),
    echo: z
      .boolean()
      .default(false)
      .describe(
        'With `until: "text"`: also look in prompts and in text typed at them. Otherwise, if the shell is integrated, only the output of programs counts',
      ),
    timeoutMs: timeoutMs.default(DEFAULT_WAIT_MS),
    maxBytes: z
      .int()
      .min(0)
      .max(MAX_ANSWER_BYTES)
      .default(MAX_ANSWER_BYTES)
      .describe('Maximum bytes of `raw`; of longer output, the end is kept'),
  })
  .refine(
    ({ until, text, regex }) => until !== 'text' || (text === undefined) !== (regex === undefined),
    'until: "text" takes either text or regex',
  );
export type WaitBody = z.infer<typeof WaitBody>;

/** Answer of `POST /api/terminals/:id/wait`. */
export const WaitAnswer = z.object({
  done: z.boolean().describe('Whether the wait ended as requested'),
  reason: z
    .enum(['command', 'exit', 'idle', 'text', 'prompt', 'agent', 'timeout', 'regex-too-slow'])
    .describe(
      'What ended the wait. `exit` also if the terminal exited before the requested event, which can then no longer happen',
    ),
  exitCode: z
    .int()
    .nullable()
    .optional()
    .describe('Exit code of the command, or of the program that has exited'),
  exitCodeReason: ExitCodeReason.optional().describe('Why `exitCode` is null'),
  command: Command.optional().describe('With `until: "command"`: the command to which `exitCode` belongs'),
  match: z.string().optional().describe('The text that was found'),
  agentStatus: AgentStatus.nullable().optional(),
  cursor: z.string().describe('Opaque; pass it as `since`'),
  raw: z.string().describe('Lines printed after the cursor `since`, or after the request began'),
  truncated: z
    .boolean()
    .describe(
      'Whether older lines are missing, since they are no longer in the history or exceed `maxBytes`',
    ),
  integration: Integration,
  waitedBy: WaitedBy.optional().describe(
    'With `until: "command"` and `until: "prompt"`: how the end was detected',
  ),
});
export type WaitAnswer = z.infer<typeof WaitAnswer>;
