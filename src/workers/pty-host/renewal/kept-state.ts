import { z } from 'zod';
import { ExitReason } from '../../../contract/terminal.js';
import { KeptLimits } from '../ledger/ledger.js';

/**
 * Number of the format in which a host hands its terminals to the program that replaces it. A program takes over only a
 * format that it knows, which it checks before the host ends.
 */
export const STATE_FORMAT = 1;

const fd = z.int().min(0);
const position = z.number().min(0);
const size = { cols: z.int(), rows: z.int() };
const exit = z.object({
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  exitedAt: z.int(),
  reason: ExitReason.optional(),
  oomKilled: z.boolean().optional(),
});

const KeptTerminalHead = z.object({
  handle: z.int().min(1),
  id: z.string(),
  meta: z.string(),
  pid: z.int(),
  ...size,
  exit: exit.nullable(),
  confirmed: position,
  nice: z.int(),
  session: z.object({
    name: z.string(),
    session: z.object({ leader: z.int(), startedAt: z.string().nullable() }),
    hasSession: z.boolean(),
    /** Absent for a terminal without limits, and in states of releases that had no limits. */
    limits: KeptLimits.optional(),
  }),
  pty: z.object({
    files: z.object({ master: fd, slave: fd }).nullable(),
    end: z.object({ exitCode: z.int(), signal: z.int() }).nullable(),
    /** `marker` and `held` in base64. */
    drain: z
      .object({
        marker: z.string(),
        held: z.string(),
        isPlaced: z.boolean(),
        bytes: z.int(),
        fragments: z.array(z.int()),
      })
      .nullable(),
  }),
  log: z.object({
    /** Its bytes are the next `length` of the file of checkpoints. */
    checkpoint: z.object({ position, ...size, length: z.int() }),
    resizes: z.array(z.object({ position, ...size })),
    /** Number of bytes of output after the checkpoint. */
    output: z.int(),
  }),
  /** Delay and number of bytes of each part that is to be typed. */
  input: z.array(z.object({ delayMs: z.number(), length: z.int() })),
});
/** A terminal without its bytes: these follow in the files, terminal by terminal, output before input. */
export type KeptTerminalHead = z.infer<typeof KeptTerminalHead>;

/** All that a host hands over, without the bytes of its terminals. */
export const KeptState = z.object({
  format: z.literal(STATE_FORMAT),
  /** Descriptor of the socket on which the host listens. */
  listening: fd,
  /** The last handle that was assigned. */
  lastHandle: z.int(),
  /** Ids of operations whose text was typed, the oldest first; `at` on the clock of `hrMs`. */
  typed: z.array(z.object({ handle: z.int(), once: z.string(), at: z.number() })),
  terminals: z.array(KeptTerminalHead),
});
export type KeptState = z.infer<typeof KeptState>;

/** Returns the descriptors that a renewed host inherits, besides the two of the state's files. */
export function filesOf({ listening, terminals }: KeptState): number[] {
  const ptys = terminals.flatMap(({ pty: { files } }) => (files ? [files.master, files.slave] : []));
  return [listening, ...ptys];
}
