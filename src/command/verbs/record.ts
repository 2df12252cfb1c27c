import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import type { ExportFormat } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { oneTarget, TARGET_HELP } from '../targets.js';
import { verb } from '../verb.js';

/** `auto-terminal record`: starts and stops recordings. */
export function record(context: Context): Command {
  return verb('record', 'Start to record a terminal and print the id of the recording; with --stop, stop it')
    .argument('<target>', `${TARGET_HELP}; with --stop the id of a recording`)
    .option('--stop', 'stop this recording')
    .action(async (target: string, options: CommonOptions & { stop?: boolean }) => {
      const client = context.client(options);
      if (options.stop) {
        await client.recordings.stop(target, { signal: context.signal });
        return;
      }
      const { id } = await oneTarget(context, client, target);
      await context.write(
        `${await client.terminals.get(id).record(undefined, { signal: context.signal })}\n`,
      );
    });
}

/** `auto-terminal export`: writes a recording to a file. */
export function exportRecording(context: Context): Command {
  return verb('export', 'Write a recording to standard output or a file')
    .argument('<recording>', 'id of the recording')
    .addOption(
      new Option('-f, --format <format>', 'format of the file')
        .choices(['asciicast', 'text', 'html', 'json'])
        .default('asciicast'),
    )
    .option('--to <file>', 'file to write')
    .action(
      async (
        id: string,
        { format, to, ...options }: CommonOptions & { format: ExportFormat; to?: string },
      ) => {
        const pieces = context.client(options).recordings.export(id, format, { signal: context.signal });
        if (to !== undefined) await pipeline(Readable.from(pieces), createWriteStream(to));
        else for await (const piece of pieces) await context.write(piece);
      },
    );
}
