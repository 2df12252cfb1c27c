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
    "`integration`: by the shell's marks. `sentinel`: by a line typed after the command. `foreground`: the shell is in the foreground again, and quiet. `idle`: it is quiet",
  );
export type WaitedBy = z.infer<typeof WaitedBy>;

const timeoutMs = z.int().min(0).max(MAX_WAIT_MS);

/** Body of `POST /api/terminals/:id/wait`. */
export const WaitBody = z
  .object({
    until: z.enum(['command', 'exit', 'idle', 'text', 'prompt', 'agent']),
    text: z.string().min(1).max(MAX_PATTERN_CHARS).optional().describe('With `until: "text"`: what to find'),
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
      .describe('With `until: "idle"`: how long no output comes. Also where a command has to be guessed at'),
    agentStatus: AgentStatus.optional().describe('With `until: "agent"`: which; any change when absent'),
    since: z
      .string()
      .optional()
      .describe(
        'A cursor. Text: in what was printed after it. Command: one that ran after it. Without: what the screen shows now and what comes, the command that runs now or was submitted last',
      ),
    echo: z
      .boolean()
      .default(false)
      .describe(
        'With `until: "text"`: also in prompts and in what is typed at them. Without, in a shell that is integrated, only what programs print counts',
      ),
    timeoutMs: timeoutMs.default(DEFAULT_WAIT_MS),
    maxBytes: z
      .int()
      .min(0)
      .max(MAX_ANSWER_BYTES)
      .default(MAX_ANSWER_BYTES)
      .describe('Of `raw`; its end is kept'),
  })
  .refine(
    ({ until, text, regex }) => until !== 'text' || (text === undefined) !== (regex === undefined),
    'until: "text" takes either text or regex',
  );
export type WaitBody = z.infer<typeof WaitBody>;

/** Answer of `POST /api/terminals/:id/wait`. */
export const WaitAnswer = z.object({
  done: z.boolean().describe('What was waited for is so'),
  reason: z
    .enum(['command', 'exit', 'idle', 'text', 'prompt', 'agent', 'timeout', 'regex-too-slow'])
    .describe(
      'What ended the wait. `exit` also where something else was waited for and cannot come any more',
    ),
  exitCode: z.int().nullable().optional().describe('Of the command, or of the program that has exited'),
  exitCodeReason: ExitCodeReason.optional().describe('Where `exitCode` is null: why'),
  command: Command.optional().describe('With `until: "command"`: the command that `exitCode` is of'),
  match: z.string().optional().describe('The text that was found'),
  agentStatus: AgentStatus.nullable().optional(),
  cursor: z.string().describe('Opaque; `since` takes it'),
  raw: z.string().describe('Lines printed since `since`, or since the request'),
  truncated: z.boolean().describe('Older lines have gone from the history, or are over `maxBytes`'),
  integration: Integration,
  waitedBy: WaitedBy.optional().describe('With `until` command and prompt'),
});
export type WaitAnswer = z.infer<typeof WaitAnswer>;
