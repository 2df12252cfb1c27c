import { randomBytes, randomInt } from 'node:crypto';
import type { z } from 'zod';
import type { ExitStatus, Terminal, TerminalSize } from '../contract/terminal.js';
import { Terminal as TerminalSchema } from '../contract/terminal.js';

/** What the service knows of a terminal beyond its process; the pty host keeps it across a crash. */
const TerminalMeta = TerminalSchema.pick({
  name: true,
  profile: true,
  tabId: true,
  mode: true,
  createdAt: true,
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
  /** Removes an exited terminal. */
  expiry?: NodeJS.Timeout;
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
  };
  return exit ? { ...terminal, status: 'exited', ...exit } : { ...terminal, status: 'running' };
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

/** For a terminal whose own cannot be read: it is worth more than its name. */
export function unknownMeta(): TerminalMeta {
  return { name: 'Terminal', profile: '', tabId: newTabId(), mode: 'api', createdAt: Date.now() };
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

/** `term_` and 12 characters of [0-9a-z]. */
export function newTerminalId(): string {
  return `term_${Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}

/** `tb-` and 9 characters of [0-9a-f]. */
export function newTabId(): string {
  return `tb-${randomBytes(5).toString('hex').slice(0, 9)}`;
}
