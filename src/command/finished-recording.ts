import { type AutoTerminal, type ExportFormat, NotFoundError } from '../client/index.js';
import { CommandError, EXIT } from './exit-codes.js';

/** Returns the pieces of an export. Throws `recording-active` if the recording still goes on. */
export async function* exported(
  client: AutoTerminal,
  id: string,
  format: ExportFormat,
  options: { redact?: boolean | undefined; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  try {
    yield* client.recordings.export(id, format, options);
  } catch (error) {
    return notFinished(client, id, error, options.signal);
  }
}

/**
 * Throws the error of a request about a finished recording; `recording-active` in its place if the recording still goes
 * on, since the service does not find such a recording.
 */
export async function notFinished(
  client: AutoTerminal,
  id: string,
  error: unknown,
  signal: AbortSignal,
): Promise<never> {
  if (!(error instanceof NotFoundError)) throw error;
  const { activeRecordings } = await client.recordings.active({ signal });
  if (!activeRecordings.includes(id)) throw error;
  const fix = `Stop it: auto-terminal record stop ${id}`;
  throw new CommandError(EXIT.conflict, 'recording-active', 'The recording is still going on', fix);
}
