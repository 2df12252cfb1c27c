import { z } from 'zod';
import { MAX_RUN_STREAMS, RUN_STREAM_STALL_MS } from '../../contract/limits.js';
import type { RunStreamEvent } from '../../contract/run.js';
import { needs, requireRun } from '../access/needs.js';
import { failures } from '../failures.js';
import type { LongPolls } from '../long-polls.js';
import { Downloads, type Slices } from '../send-slices.js';
import type { App } from '../validation.js';

/** The streams of runs. */
export interface RunStreamsPort {
  /** Throws run-not-found, and `unavailable` when too many wait. */
  stream(runId: string, client: AbortSignal): OpenStream;
  /** Throws run-not-found. */
  terminalsOf(runId: string): readonly string[];
}

interface OpenStream {
  /** Rejects with the reason of the signal, and with `unavailable`. */
  events(): AsyncGenerator<RunStreamEvent, void, void>;
  close(): void;
}

const DESCRIPTION = `What the commands of a run print, as it comes, and their results, as NDJSON: one JSON object a line.

- \`{"type": "output", "terminalId", "text"}\`: the next piece of the text in this terminal, without escape sequences. The
  pieces of a terminal together are the \`raw\` of its result. A line is sent once it has ended, a progress bar in its last
  state.
- \`{"type": "redrawn", "terminalId", "lines"}\`: the program has gone back to lines that were sent, as progress bars of
  several lines do. The last \`lines\` lines of the pieces so far no longer count: they come anew in the next pieces. Text
  that is drawn in this way comes when the command has ended, or when a screen of lines has followed.
- \`{"type": "gap", "terminalId"}\`: output between the pieces before and the next is missing. The history of a terminal has
  256 KiB; a client that reads too slowly, or comes too late, finds the beginning gone.
- \`{"type": "result", ...}\`: the result in this terminal, as in \`GET /api/runs/{runId}\` but with an empty \`raw\`. It comes once
  for each terminal, after all its pieces.
- \`{"type": "end", "state", "summary"}\`: the run is over, and the answer ends.

A client that connects late gets the text from its beginning, also when the run is over. A client that leaves changes
nothing for the run. An answer that ends without \`end\` was broken off, as by a stop of the service: ask again, and the text
begins anew.`;

/** `GET /api/runs/:runId/stream`: the output of a run as it comes. */
export function registerRunStream(app: App, runs: RunStreamsPort, polls: LongPolls): void {
  const downloads = new Downloads(MAX_RUN_STREAMS, RUN_STREAM_STALL_MS);
  app.get(
    '/api/runs/:runId/stream',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'Follow the output and the results of a run (NDJSON)',
        description: DESCRIPTION,
        tags: ['Commands'],
        params: z.object({ runId: z.string() }),
        response: {
          200: {
            description: 'The stream, which ends with the run',
            content: { 'application/x-ndjson': { schema: z.string() } },
          },
          ...failures('run-not-found', 'unavailable'),
        },
      },
    },
    async (request, reply) => {
      requireRun(runs, request.params.runId, request.rights);
      await polls.hold(request, reply, (signal) =>
        downloads.send(reply, async () => {
          const stream = runs.stream(request.params.runId, signal);
          reply.type('application/x-ndjson');
          return linesOf(stream, signal, request.method === 'HEAD');
        }),
      );
    },
  );
}

/** Returns the lines of a stream. They end without an `end` when the signal fires. */
async function* linesOf(stream: OpenStream, signal: AbortSignal, isHead: boolean): Slices {
  try {
    // The client learns at once that the stream is open.
    yield new Uint8Array(0);
    if (isHead) return;
    for await (const event of stream.events()) yield Buffer.from(`${JSON.stringify(event)}\n`);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stream.close();
  }
}
