import { z } from 'zod';
import { Command } from '../../contract/command.js';
import type { Codec } from '../../store/store.js';

/** As `MarkState` of the shards says. */
const MarkState = z.object({
  position: z.int().min(0),
  levels: z.array(
    z.object({
      pid: z.int(),
      running: z.object({ commandId: z.string(), start: z.string() }).nullable(),
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

/** What changes with each mark of one terminal. */
const KeptShell = z.object({
  kind: z.literal('shell'),
  state: MarkState,
  /** On the clock of `hrMs`, which goes on for as long as the terminal's process does. */
  promptAt: z.number().nullable(),
  /** Commands that run, outermost first, and when each began, on that clock. */
  open: z.array(z.object({ command: Command, beganAt: z.number() })),
  /** Id of the command that ended last. */
  last: z.string().nullable(),
  /** When that was reported, on the same clock. */
  lastEndAt: z.number().nullable().default(null),
  /** Of the commands that have ended, see `MAX_COMMAND_LOG_CHARS`. */
  chars: z.int().min(0),
  /** By their tokens, which have not come. */
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

/** Where a terminal's shell stands on the shelf. */
export function shellRecordId(terminalId: string): string {
  return SHELLS + terminalId;
}

/** Beginning of the ids of a terminal's commands on the shelf; the command's own id follows. */
export function commandRecords(terminalId: string): string {
  return `command/${terminalId}/`;
}

/** The terminals that the shelf has anything of. */
export function keptTerminals(shelf: { ids(prefix: string): string[] }): string[] {
  return shelf.ids(SHELLS).map((id) => id.slice(SHELLS.length));
}
