import type { ReadStream, WriteStream } from 'node:tty';
import type { Terminal } from '../../client/terminal.js';
import { usageError } from '../exit-codes.js';
import { oneLine } from '../one-line.js';
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
    /** Name of the terminal in notes; its id by default. */
    name?: string;
    /** Name of this client in the list of clients. */
    clientName?: string;
  };
  /** Ends the attachment as SIGINT does. */
  signal?: AbortSignal;
}

/**
 * Shows a terminal of the service in the person's own terminal, and types the person's keys into it, until one of the
 * terminals ends. The person's terminal is left as it was found, and a line on `stderr` says how the attachment ended.
 * Rejects with the service's error if it refuses the attachment, and with a usage error if there is no terminal to draw
 * in.
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
  // The name is written to the outer terminal, and may contain escape sequences.
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

/** Throws a usage error unless the streams are a terminal that can show another terminal. */
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

/** Returns a line for a person on how an attachment has ended. */
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
