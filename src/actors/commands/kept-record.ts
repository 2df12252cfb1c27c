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
    }),
  ),
  atPrompt: z.boolean(),
  cwd: z.string().nullable(),
  tokens: z.array(z.string()),
});

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
  /** Of the commands that have ended, see `MAX_COMMAND_LOG_CHARS`. */
  chars: z.int().min(0),
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
