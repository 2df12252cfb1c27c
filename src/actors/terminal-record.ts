import { randomBytes, randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ShellKind } from '../contract/command.js';
import type { HostTerminal } from '../contract/host-protocol.js';
import { Labels } from '../contract/labels.js';
import type { ExitStatus, InputOrigin, Terminal, TerminalSize } from '../contract/terminal.js';
import { Backend, Terminal as TerminalSchema } from '../contract/terminal.js';
import { newNonce } from './marks.js';

/** What the service knows of a terminal beyond its process; the pty host keeps it across a crash. */
const TerminalMeta = TerminalSchema.pick({
  name: true,
  profile: true,
  tabId: true,
  mode: true,
  createdAt: true,
}).extend({
  /** Path of the program it was started with. */
  shell: z.string().default(''),
  /** What it prints and what is typed into it may be searched. */
  index: z.boolean().default(true),
  labels: Labels.default({}),
  /** The shell that tells of its commands, if it can, and what its marks carry: a secret of this terminal. */
  marks: z
    .object({ shell: ShellKind.nullable(), nonce: z.string() })
    .default(() => ({ shell: null, nonce: newNonce() })),
  backend: Backend.default('pty'),
  /** When it was created, on the clock of `hrMs`; one of a former version counts as old. */
  startedAt: z.number().default(0),
  /** Joins it by hand; the server it lives in stays the same, whatever a later service would choose. */
  attach: z.string().optional(),
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
  /** Who typed last, and when (epoch milliseconds, and on the clock of {@link hrMs}); unknown again after a restart of the service. */
  lastInput?: { source: InputOrigin; at: number; hrMs: number };
  /** When something was last submitted (a CR or LF typed), on the clock of {@link hrMs}. */
  submittedAt?: number;
  /** How often this service has been asked for another size. */
  resizes?: number;
  /** Removes an exited terminal. */
  expiry?: NodeJS.Timeout;
}

/** What the process list says of a running terminal, beside its processes. */
export interface RunningTerminal {
  id: string;
  /** Of the program that it was started with. */
  pid: number;
  /** Path of that program. */
  shell: string;
  name: string;
  /** Epoch milliseconds. */
  createdAt: number;
  lastInputSource: InputOrigin | null;
  /** Epoch milliseconds. */
  lastInputAt: number | null;
  /** The same on the clock of {@link hrMs}. */
  typedAt: number | null;
}

export function toRunning({ id, pid, meta, lastInput }: TerminalRecord): RunningTerminal {
  return {
    id,
    pid,
    shell: meta.shell,
    name: meta.name,
    createdAt: meta.createdAt,
    lastInputSource: lastInput?.source ?? null,
    lastInputAt: lastInput?.at ?? null,
    typedAt: lastInput?.hrMs ?? null,
  };
}

/** The Terminal object of the API. */
export function toTerminal({ id, pid, meta, exit }: TerminalRecord): Terminal {
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
  };
  if (exit) return { ...terminal, status: 'exited', ...exit };
  return { ...terminal, status: 'running', ...(meta.attach !== undefined && { attach: meta.attach }) };
}

export function packMeta(meta: TerminalMeta): string {
  return JSON.stringify(meta);
}

/** Reads {@link packMeta}; undefined when it is not of this form (another version of the service wrote it). */
export function unpackMeta(text: string): TerminalMeta | undefined {
  try {
    return TerminalMeta.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** A terminal as the pty host lists it. */
export function recordOf(terminal: HostTerminal, logger: Logger): TerminalRecord {
  const { id, handle, pid, meta: packed, cols, rows, exit } = terminal;
  const meta = unpackMeta(packed);
  if (!meta) logger.warn({ terminal: id }, 'the metadata of a terminal could not be read');
  return { id, handle, pid, meta: meta ?? unknownMeta(), size: { cols, rows }, exit };
}

/** For a terminal whose own cannot be read: it is worth more than its name. */
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

/** `term_` and 12 characters of [0-9a-z]. */
export function newTerminalId(): string {
  return `term_${Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}

/** `tb-` and 9 characters of [0-9a-f]. */
export function newTabId(): string {
  return `tb-${randomBytes(5).toString('hex').slice(0, 9)}`;
}
