import { linesOf } from '../../client/lines.js';
import type { TerminalSize } from '../../client/types.js';
import { CommandError, EXIT } from '../exit-codes.js';

/** Output of a recording. */
export interface CastEvent {
  /** Seconds since the recording began. */
  time: number;
  data: string;
}

/** A recording that is being read. */
export interface Cast {
  /** Of its terminal when it began. */
  size: TerminalSize;
  /** Its output; typed input is left out. Can be read once. */
  events: AsyncGenerator<CastEvent>;
}

/** Reads asciicast v2. Rejects if the bytes are something else. */
export async function openCast(bytes: AsyncIterable<Uint8Array>): Promise<Cast> {
  const lines = linesOf(bytes);
  const head = await lines.next();
  const { version, width, height } = (head.done ? {} : JSON.parse(head.value)) as Record<string, unknown>;
  if (version !== 2 || typeof width !== 'number' || typeof height !== 'number') {
    await lines.return(undefined);
    throw new CommandError(EXIT.failed, 'no-recording', 'The service sent no recording');
  }
  return { size: { cols: width, rows: height }, events: eventsOf(lines) };
}

async function* eventsOf(lines: AsyncGenerator<string>): AsyncGenerator<CastEvent> {
  for await (const line of lines) {
    const [time, type, data] = JSON.parse(line) as [number, string, string];
    if (type === 'o') yield { time, data };
  }
}
