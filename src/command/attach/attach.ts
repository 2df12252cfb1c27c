import type { ReadStream, WriteStream } from 'node:tty';
import type { Terminal } from '../../client/terminal.js';
import { usageError } from '../exit-codes.js';
import { oneLine } from '../format.js';
import type { OuterOut } from '../outer/outer-terminal.js';
import type { AttachEnd } from './attach-end.js';
import { DEFAULT_DETACH_KEYS, parseDetachKeys } from './detach-keys.js';
import { Session } from './session.js';

/** The streams of a command. */
interface Streams {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & { isTTY?: boolean };
}

export interface AttachToOptions extends Streams {
  terminal: Terminal;
  stderr: NodeJS.WritableStream;
  options?: {
    /** Types nothing and decides no size. */
    readOnly?: boolean;
    /** The keys that detach, in docker's syntax; `none` for none. */
    detachKeys?: string;
    /** What the terminal is called in notes; its id by default. */
    name?: string;
    /** How others see this client. */
    clientName?: string;
  };
  /** Ends the attachment as SIGINT does. */
  signal?: AbortSignal;
}

/**
 * Shows a terminal of the service in the person's own, and types into it what the person types, until one of them ends.
 * The person's terminal is left as it was found, and a line on `stderr` says how it ended. Rejects with what the service
 * says if the terminal cannot be attached to, and with a usage error if there is no terminal to show it in.
 */
export async function attachTo({
  terminal,
  stdin,
  stdout,
  stderr,
  options = {},
  signal,
}: AttachToOptions): Promise<AttachEnd> {
  const { readOnly = false, detachKeys = DEFAULT_DETACH_KEYS, clientName = '' } = options;
  // It is written to the outer terminal, and may hold anything.
  const name = oneLine(options.name ?? terminal.id);
  const keys = parseDetachKeys(detachKeys);
  ensureTerminal({ stdin, stdout });
  const session = new Session({
    terminal,
    ...{ stdin: stdin as ReadStream, stdout: stdout as WriteStream as OuterOut },
    ...{ isReadOnly: readOnly, keys, name, clientName, signal },
  });
  const end = await session.run();
  // Node aborts at its exit if a terminal that is gone cannot be reset: the signal ends the process instead.
  if (session.isLost) process.kill(process.pid, 'SIGHUP');
  else stderr.write(`[${attachEndText(end, name)}]\n`);
  return end;
}

/** Throws a usage error if the streams are no terminal that could show another one. */
export function ensureTerminal({ stdin, stdout }: Streams, term?: string): void {
  if (!stdin.isTTY || !stdout.isTTY) {
    const missing = stdin.isTTY ? 'Standard output' : 'Standard input';
    const fix = 'Run it in a terminal; scripts read with logs or screen, and type with send or keys';
    throw usageError(`${missing} is not a terminal`, fix);
  }
  if (term === 'dumb') {
    const fix = 'Run it in another terminal, or set TERM if this one knows escape sequences';
    throw usageError('TERM is "dumb": this terminal can move no cursor', fix);
  }
}

/** Returns a line that says how an attachment has ended. */
export function attachEndText({ reason, exitCode, signal }: AttachEnd, name: string): string {
  switch (reason) {
    case 'exited':
      return `${name} exited ${signal ? `by ${signal}` : `with code ${exitCode ?? 'unknown'}`}`;
    case 'removed':
      return `${name} was closed`;
    case 'signal':
      return `detached from ${name} by ${signal}`;
    default:
      return `detached from ${name}`;
  }
}
