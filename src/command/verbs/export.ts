import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import type { ExportFormat } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { exported } from '../finished-recording.js';
import { verb } from '../verb.js';

type Options = CommonOptions & { format: ExportFormat; redact?: boolean; to?: string };

/** `auto-terminal export`: writes a recording to a file. */
export function exportRecording(context: Context): Command {
  return verb('export', 'Write a recording to standard output or a file')
    .argument('<recording>', 'id of the recording, as record ls lists it')
    .addOption(
      new Option('-f, --format <format>', 'format of the file')
        .choices(['asciicast', 'text', 'html', 'json'])
        .default('asciicast'),
    )
    .option('--redact', 'replace secrets, whatever the settings say')
    .option('--no-redact', 'leave secrets as they are, whatever the settings say')
    .option('--to <file>', 'file to write')
    .action(async (id: string, { format, redact, to, ...options }: Options) => {
      const pieces = exported(context.client(options), id, format, { redact, signal: context.signal });
      if (to !== undefined) await writeTo(to, pieces);
      else for await (const piece of pieces) await context.write(piece);
    });
}

/** Writes a file, which stays as it is until there is something to write: an export that fails must not empty it. */
async function writeTo(file: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const read = Readable.from(pieces);
  await once(read, 'readable');
  await pipeline(read, createWriteStream(file));
}
