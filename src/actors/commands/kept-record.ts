import { z } from 'zod';
import { Command } from '../../contract/command.js';
import type { Codec } from '../../store/store.js';

/** Schema of the `MarkState` of shards. */
const MarkState = z.object({
  position: z.int().min(0),
  levels: z.array(
    z.object({
      pid: z.int(),
      running: z
        .object({
          commandId: z.string(),
          start: z.string(),
          zsh: z.object({ status: z.int(), callsFunction: z.boolean() }).optional(),
        })
        .nullable(),
      takesRuns: z.boolean().optional(),
      promptCount: z.int().min(0).optional(),
    }),
  ),
  atPrompt: z.boolean(),
  cwd: z.string().nullable(),
  run: z
    .object({
      runId: z.string(),
      pid: z.int(),
      status: z.int().nullable(),
      hasStarted: z.boolean(),
      hasPrompt: z.boolean(),
      exitCode: z.int().nullable(),
    })
    .optional(),
  isContinued: z.boolean().optional(),
  hasDraft: z.boolean().optional(),
  tokens: z.array(z.string()),
});

/** A line typed between marks that carry a token, in a shell that is not integrated. */
const ExpectedLine = z.object({ commandLine: z.string(), runId: z.string().optional() });
export type ExpectedLine = z.infer<typeof ExpectedLine>;

/** The part of a terminal's log that changes with each mark. */
const KeptShell = z.object({
  kind: z.literal('shell'),
  state: MarkState,
  /**
   * When the shell last showed a prompt, on the clock of `hrMs`, which runs on for as long as the terminal's process
   * does.
   */
  promptAt: z.number().nullable(),
  /** Running commands, outermost first, and when each began, on that clock. */
  open: z.array(z.object({ command: Command, beganAt: z.number() })),
  /** Id of the command that ended last. */
  last: z.string().nullable(),
  /** When the end of that command was reported, on the same clock. */
  lastEndAt: z.number().nullable().default(null),
  /** Characters of the commands that have ended, see `MAX_COMMAND_LOG_CHARS`. */
  chars: z.int().min(0),
  /** Expected lines by their tokens, which have not come yet. */
  expected: z.record(z.string(), ExpectedLine).default({}),
});
export type KeptShell = z.infer<typeof KeptShell>;

/** A record on the shelf of commands: a terminal's shell, or one command that has ended. */
const KeptRecord = z.discriminatedUnion('kind', [
  KeptShell,
  z.object({ kind: z.literal('command'), command: Command }),
]);
export type KeptRecord = z.infer<typeof KeptRecord>;

export const KEPT_CODEC: Codec<KeptRecord> = { version: 1, schema: KeptRecord };

const SHELLS = 'shell/';

/** Returns the id of the record of a terminal's shell on the shelf. */
export function shellRecordId(terminalId: string): string {
  return SHELLS + terminalId;
}

/** Returns the prefix of the ids of a terminal's commands on the shelf; the command's own id follows it. */
export function commandRecords(terminalId: string): string {
  return `command/${terminalId}/`;
}

/** Returns the ids of the terminals that have a shell record on the shelf. */
export function keptTerminals(shelf: { ids(prefix: string): string[] }): string[] {
  return shelf.ids(SHELLS).map((id) => id.slice(SHELLS.length));
}
