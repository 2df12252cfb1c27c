import type { Command } from 'commander';
import type { ActiveRecording, RecordingSummary } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { inEach } from '../each.js';
import { notFinished } from '../finished-recording.js';
import { ageOf, type Column, durationOf, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { oneTarget, TARGET_HELP } from '../targets.js';
import { verb } from '../verb.js';

/** A finished recording, or a running one. */
type Row = RecordingSummary | (ActiveRecording & { endTime: null; truncated?: undefined });

const COLUMNS: readonly Column<Row>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'TERMINAL', value: ({ terminalId }) => terminalId },
  { title: 'STARTED', value: ({ startTime }) => `${ageOf(Date.parse(startTime))} ago` },
  { title: 'LASTED', value: lastedOf },
  { title: 'BYTES', value: ({ size }) => String(size ?? '') },
  { title: 'EVENTS', value: ({ eventCount }) => String(eventCount ?? '') },
  { title: 'NOTE', value: ({ truncated }) => (truncated ? 'ended early' : '') },
];

/** `auto-terminal record`: starts, stops, lists and deletes recordings. */
export function record(context: Context): Command {
  return verb('record', 'Start to record a terminal and print the id of the recording; with --stop, stop it')
    .enablePositionalOptions()
    .argument('<target>', `${TARGET_HELP}; with --stop the id of a recording`)
    .option('--stop', 'stop this recording')
    .action((target: string, { stop: isStop, ...options }: CommonOptions & { stop?: boolean }) =>
      isStop ? stopped(context, [target], options) : started(context, target, options),
    )
    .addCommand(
      verb('start', 'Start to record a terminal, and print the id of the recording')
        .argument('<target>', TARGET_HELP)
        .action((target: string, options: CommonOptions) => started(context, target, options)),
    )
    .addCommand(
      verb('stop', 'Stop recordings')
        .argument('<recordings...>', 'ids of recordings')
        .action((ids: string[], options: CommonOptions) => stopped(context, ids, options)),
    )
    .addCommand(list(context))
    .addCommand(
      verb('rm', 'Delete recordings')
        .argument('<recordings...>', 'ids of recordings')
        .action(async (ids: string[], options: CommonOptions) => {
          const client = context.client(options);
          const { signal } = context;
          await inEach(context, ids, 'deleted', (id) =>
            client.recordings.delete(id, { signal }).catch((error) => notFinished(client, id, error, signal)),
          );
        }),
    );
}

function list(context: Context): Command {
  return verb('ls', 'List the recordings: those that go on, then the stopped ones, newest first')
    .option('--active', 'only those that go on')
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async ({ active = false, ...options }: CommonOptions & FormatOptions & { active?: boolean }) => {
      const { recordings } = context.client(options);
      const running = await recordings.running({ signal: context.signal });
      const stopped = active ? [] : await recordings.list({ signal: context.signal });
      const rows: Row[] = [...running.map((recording) => ({ ...recording, endTime: null })), ...stopped];
      await printRows(context, rows, options, { columns: COLUMNS, id: ({ id }) => id, name: 'recordings' });
    });
}

async function started(context: Context, target: string, options: CommonOptions): Promise<void> {
  const client = context.client(options);
  const { id } = await oneTarget(context, client, target, { mustRun: true });
  await context.write(
    `${await client.terminals.get(id).record({ include_marks: true }, { signal: context.signal })}\n`,
  );
}

async function stopped(context: Context, ids: readonly string[], options: CommonOptions): Promise<void> {
  const { recordings } = context.client(options);
  const cut: string[] = [];
  await inEach(context, ids, 'stopped', async (id) => {
    const { truncated } = await recordings.stop(id, { signal: context.signal });
    if (truncated) cut.push(id);
  });
  for (const id of cut)
    context.say(`auto-terminal: ${id} ended early: its later events could not be written`);
}

function lastedOf({ startTime, endTime }: Row): string {
  return endTime ? durationOf(Date.parse(endTime) - Date.parse(startTime)) : 'goes on';
}
