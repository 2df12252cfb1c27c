import { randomBytes, randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ShellKind } from '../contract/command.js';
import type { HostTerminal } from '../contract/host-protocol.js';
import { Labels } from '../contract/labels.js';
import type { ExitStatus, InputOrigin, Terminal } from '../contract/terminal.js';
import { Backend, Terminal as TerminalSchema, TerminalSize } from '../contract/terminal.js';
import type { HeldLimits } from '../contract/terminal-limits.js';
import { newNonce } from './marks.js';
import type { SoleWriter } from './sole-writer.js';

/** The service's knowledge of a terminal beyond its process; the pty host keeps it across a crash of the service. */
const TerminalMeta = TerminalSchema.pick({
  name: true,
  profile: true,
  tabId: true,
  mode: true,
  createdAt: true,
}).extend({
  /** Path of the program that the terminal was started with. */
  shell: z.string().default(''),
  /** Whether its output and the text typed into it may be searched. */
  index: z.boolean().default(true),
  labels: Labels.default({}),
  /** Ids of the tokens with which it was created, the nearest first. */
  madeWith: z.array(z.string()).default([]),
  /**
   * Whether its program may do only what a grant allows: it was created with a grant, or with the token of a grant. It
   * stays so when that token has ended.
   */
  granted: z.boolean().default(false),
  /** The shell, if it can report its commands, and the nonce that its marks carry: a secret of this terminal. */
  marks: z
    .object({ shell: ShellKind.nullable(), nonce: z.string() })
    .default(() => ({ shell: null, nonce: newNonce() })),
  backend: Backend.default('pty'),
  /**
   * Time of creation on the clock of `hrMs`; 0, which counts as old, if the version that created the terminal stored
   * none.
   */
  startedAt: z.number().default(0),
  /**
   * Command line by which a person joins the terminal. It is stored, since the terminal stays in its tmux server
   * whichever server a later service would choose.
   */
  attach: z.string().optional(),
  /** The size that the API has set, while the terminal has that of an attached client: it gets this one back. */
  baseSize: TerminalSize.optional(),
});
export type TerminalMeta = z.infer<typeof TerminalMeta>;

/** A terminal in the registry: running, or exited and still readable. */
export interface TerminalRecord {
  id: string;
  /** Its number at the pty host. */
  handle: number;
  pid: number;
  meta: TerminalMeta;
  size: TerminalSize;
  exit: ExitStatus | null;
  /** Which of its limits hold, if any was asked for. */
  limits?: HeldLimits | undefined;
  /**
   * Origin and time of the last input (epoch milliseconds, and on the clock of {@link hrMs}); unknown after a restart
   * of the service, up to the next input.
   */
  lastInput?: { source: InputOrigin; at: number; hrMs: number };
  /** When something was last submitted (a CR or LF typed), on the clock of {@link hrMs}. */
  submittedAt?: number;
  /** How many writes have been sent to it, and how many of these its PTY has not taken yet. */
  writes?: number;
  inFlight?: number;
  /**
   * Its writer since it was created; absent if that is not known from its beginning, as after a restart of
   * the service, or if others may type past the service, as in tmux.
   */
  writers?: SoleWriter;
  /** The title that a program has set last; unknown if its shard has not reported one. */
  title?: string;
  /** Number of resizes that this service process was asked for. */
  resizes?: number;
  /** Timer that removes an exited terminal. */
  expiry?: NodeJS.Timeout;
}

/** Facts about a running terminal for the process list, besides its processes. */
export interface RunningTerminal {
  id: string;
  /** Pid of the program that the terminal was started with. */
  pid: number;
  /** Path of that program. */
  shell: string;
  backend: Backend;
  name: string;
  /** Epoch milliseconds. */
  createdAt: number;
  lastInputSource: InputOrigin | null;
  /** Epoch milliseconds. */
  lastInputAt: number | null;
  /** The same time on the clock of {@link hrMs}. */
  typedAt: number | null;
}

export function toRunning({ id, pid, meta, lastInput }: TerminalRecord): RunningTerminal {
  return {
    id,
    pid,
    shell: meta.shell,
    backend: meta.backend,
    name: meta.name,
    createdAt: meta.createdAt,
    lastInputSource: lastInput?.source ?? null,
    lastInputAt: lastInput?.at ?? null,
    typedAt: lastInput?.hrMs ?? null,
  };
}

/** The Terminal object of the API. */
export function toTerminal({ id, pid, meta, exit, limits }: TerminalRecord): Terminal {
  const terminal = {
    id,
    processId: id,
    name: meta.name,
    profile: meta.profile,
    pid,
    createdAt: meta.createdAt,
    mode: meta.mode,
    tabId: meta.tabId,
    labels: meta.labels,
    ...(meta.backend === 'tmux' && { backend: meta.backend }),
    ...(limits && { limits }),
  };
  if (exit) return { ...terminal, status: 'exited', ...exit };
  return { ...terminal, status: 'running', ...(meta.attach !== undefined && { attach: meta.attach }) };
}

export function packMeta(meta: TerminalMeta): string {
  return JSON.stringify(meta);
}

/**
 * Parses the text of {@link packMeta}; returns undefined if it has another form, as from another version of the
 * service.
 */
export function unpackMeta(text: string): TerminalMeta | undefined {
  try {
    return TerminalMeta.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Returns the record of a terminal that the pty host lists. */
export function recordOf(terminal: HostTerminal, logger: Logger): TerminalRecord {
  const { id, handle, pid, meta: packed, cols, rows, exit, limits } = terminal;
  const meta = unpackMeta(packed);
  if (!meta) logger.warn({ terminal: id }, 'the metadata of a terminal could not be read');
  return { id, handle, pid, meta: meta ?? unknownMeta(), size: { cols, rows }, exit, limits };
}

/** Returns metadata for a terminal whose own is unreadable: the terminal is worth keeping without its name. */
export function unknownMeta(): TerminalMeta {
  return TerminalMeta.parse({
    name: 'Terminal',
    profile: '',
    tabId: newTabId(),
    mode: 'api',
    createdAt: Date.now(),
  });
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const TERMINAL_ID = /^term_[0-9a-z]{12}$/;

export function isTerminalId(text: string): boolean {
  return TERMINAL_ID.test(text);
}

/** Returns `term_` and 12 random characters of [0-9a-z]. */
export function newTerminalId(): string {
  return `term_${Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}

/** Returns `tb-` and 9 random characters of [0-9a-f]. */
export function newTabId(): string {
  return `tb-${randomBytes(5).toString('hex').slice(0, 9)}`;
}
