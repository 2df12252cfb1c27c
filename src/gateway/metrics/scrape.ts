import { Counter, Gauge } from 'prom-client';
import type { ShardReport } from '../../actors/shards-options.js';
import type { LoopDelay } from '../../workers/loop-delay.js';
import { writeFleet } from './fleet.js';
import { writeGuardrails } from './guardrails.js';
import { Page } from './page.js';
import type { MetricsSources } from './sources.js';

/** Reads all sources and returns their values as Prometheus text. */
export async function scrape(sources: MetricsSources): Promise<string> {
  const shards = await sources.shards();
  const page = new Page();
  writeTerminals(page, sources, shards);
  writeGuardrails(page, sources);
  writeClients(page, sources);
  writeShards(page, shards);
  const ofShards = shards.map(({ now }, index): [string, LoopDelay | undefined] => [
    `shard-${index}`,
    now?.loopDelay,
  ]);
  writeLoopDelays(page, new Map([['main', sources.loopDelay()], ...ofShards]));
  writeCommands(page, sources);
  writeWebhooks(page, sources);
  writePrompts(page, sources);
  writeRest(page, sources);
  writeFleet(page, sources.fleet());
  return page.text();
}

function writeTerminals(page: Page, { terminals, traffic }: MetricsSources, shards: ShardReport[]): void {
  const { running, exited } = terminals();
  const states: [string, number][] = Object.entries({ running, exited });
  page.family(
    Gauge,
    ['terminals', 'Terminals by status; exited terminals are kept for a while.', 'status'],
    states,
  );
  page.counter('terminals_created_total', 'Terminals created.', traffic.created);
  page.counter(
    'terminals_oom_killed_total',
    'Terminals whose programs the kernel killed for want of memory, where they have such a limit.',
    traffic.oomKilled,
  );
  const read = shards.reduce((sum, { outputBytes }) => sum + outputBytes, 0);
  page.counter('output_bytes_total', 'Bytes read from PTYs.', read);
  page.counter('input_bytes_total', 'Bytes typed by clients.', traffic.typedBytes);
}

function writeCommands(page: Page, sources: MetricsSources): void {
  const { succeeded, failed, unknown, running, failedWrites } = sources.commands();
  page.family(
    Counter,
    ['commands_total', 'Commands that have ended; unknown: nothing reported the exit code.', 'result'],
    Object.entries({ succeeded, failed, unknown }),
  );
  page.gauge('commands_running', 'Commands that run now, including those in nested shells.', running);
  page.gauge('waits', 'Waits in progress, and terminals that runs wait for.', sources.waits());
  page.counter('command_writes_failed_total', 'Failed attempts to store commands.', failedWrites);
  page.family(
    Counter,
    [
      'runs_total',
      'Commands of runs, one for each terminal; unknown: nothing reported the exit code; unfinished: the ' +
        'command continues; refused: it could not be run.',
      'result',
    ],
    Object.entries(sources.outcomes.runs),
  );
  page.counter(
    'regexes_too_slow_total',
    'Waits that ended because their regular expression was too slow.',
    sources.outcomes.slowRegexes,
  );
  page.counter(
    'idempotent_replays_total',
    'Answers replayed to requests with an Idempotency-Key.',
    sources.replays(),
  );
  page.family(
    Gauge,
    [
      'agents',
      'Coding agents by status, in watched terminals: all terminals while a client follows lifecycle ' +
        'events, otherwise those that a wait is for.',
      'status',
    ],
    Object.entries(sources.agents()),
  );
}

function writePrompts(page: Page, { prompts }: MetricsSources): void {
  page.gauge('prompts_queued', 'Prompts that wait until their terminals are ready.', prompts.queued);
  page.family(
    Counter,
    ['prompts_total', 'Queued prompts that have ended, by what has become of them.', 'state'],
    Object.entries(prompts.ended),
  );
}

function writeWebhooks(page: Page, { webhooks, watches }: MetricsSources): void {
  const { matches, events, leftOut } = watches.figures;
  page.gauge('watches', 'Watches that stand.', watches.standing);
  page.counter('watch_matches_total', 'Lines that have matched a watch.', matches);
  page.counter('watch_events_total', 'Events of watches, each of one or more lines.', events);
  page.counter('watch_lines_left_out_total', 'Lines on which no regular expression was tried.', leftOut);
  const { enabled, retrying } = webhooks.counts;
  page.gauge('webhooks', 'Webhooks that are enabled.', enabled);
  page.gauge('webhook_retries', 'Deliveries of webhooks that wait for another attempt.', retrying);
  page.family(
    Counter,
    ['webhook_attempts_total', 'Attempts at deliveries of webhooks by what became of them.', 'outcome'],
    Object.entries(webhooks.figures),
  );
}

function writeClients(page: Page, { stream }: MetricsSources): void {
  const { clients, messages, sentBytes, dropped, resyncs, queuedBytes } = stream();
  page.gauge('websocket_clients', 'WebSocket clients connected.', clients);
  page.counter('websocket_frames_sent_total', 'Frames queued for WebSocket clients.', messages);
  page.counter('websocket_sent_bytes_total', 'Bytes of frames sent to WebSocket clients.', sentBytes);
  page.counter(
    'websocket_frames_dropped_total',
    'Output frames dropped for slow WebSocket clients.',
    dropped,
  );
  page.counter(
    'websocket_resyncs_total',
    'Screens sent to WebSocket clients in place of dropped frames.',
    resyncs,
  );
  page.gauge('websocket_queue_bytes', 'Bytes queued for all WebSocket clients together.', queuedBytes.sum);
  page.gauge('websocket_queue_max_bytes', 'Bytes queued for the slowest WebSocket client.', queuedBytes.max);
}

function writeShards(page: Page, shards: ShardReport[]): void {
  const each = (value: (report: ShardReport) => number | undefined) =>
    shards.map((report, index): [string, number | undefined] => [`${index}`, value(report)]);
  page.family(
    Gauge,
    ['shard_up', 'Whether the shard answers.', 'shard'],
    each(({ now }) => (now ? 1 : 0)),
  );
  page.family(
    Counter,
    ['shard_restarts_total', 'Restarts of the shard after it died.', 'shard'],
    each(({ restarts }) => restarts),
  );
  page.family(
    Gauge,
    ['shard_stream_queue_bytes', 'Bytes of frames that the main thread has not read yet.', 'shard'],
    each(({ now }) => now?.streamQueueBytes),
  );
  page.family(
    Gauge,
    ['shard_parse_queue_bytes', 'Bytes of output that screens have not parsed yet.', 'shard'],
    each(({ now }) => now?.parseQueueBytes),
  );
}

function writeLoopDelays(page: Page, delays: Map<string, LoopDelay | undefined>): void {
  const help = 'delay of the event loop of a thread since the previous scrape, in seconds.';
  const each = (value: (delay: LoopDelay) => number) =>
    [...delays].map(([thread, delay]): [string, number | undefined] => [thread, delay && value(delay)]);
  page.family(
    Gauge,
    ['event_loop_delay_p50_seconds', `Median ${help}`, 'thread'],
    each(({ p50 }) => p50),
  );
  page.family(
    Gauge,
    ['event_loop_delay_p99_seconds', `99th percentile ${help}`, 'thread'],
    each(({ p99 }) => p99),
  );
  page.family(
    Gauge,
    ['event_loop_delay_max_seconds', `Maximum ${help}`, 'thread'],
    each(({ max }) => max),
  );
}

function writeRest(page: Page, sources: MetricsSources): void {
  const { jobs, search, sidecar } = sources;
  page.family(
    Gauge,
    ['jobs_queued', 'Jobs that wait for a thread, by pool.', 'pool'],
    Object.entries(jobs()),
  );
  const { active, cut } = sources.recordings();
  page.gauge('recordings_active', 'Active recordings.', active);
  page.counter('recordings_cut_total', 'Recordings that ended early because they could not be written.', cut);
  const freeBytes = sources.freeBytes();
  if (freeBytes !== undefined)
    page.gauge('disk_free_bytes', 'Free space on the disk that holds the state.', freeBytes);
  const { isFeeding } = search();
  page.gauge('search_feeding', 'Whether the search index takes in new text.', isFeeding ? 1 : 0);
  const { indexedBytes, leftOutBytes, textBytes, diskBytes } = search();
  page.gauge('search_text_bytes', 'Bytes of text in the search index.', textBytes);
  page.gauge('search_disk_bytes', 'Bytes of disk space that the search index uses.', diskBytes);
  page.counter('search_indexed_bytes_total', 'Bytes of text added to the search index.', indexedBytes);
  page.counter(
    'search_left_out_bytes_total',
    'Bytes of output and typed text that the search index skipped to keep up.',
    leftOutBytes,
  );
  page.gauge('mcp_up', 'Whether the tool server listens.', sidecar.url === undefined ? 0 : 1);
  page.counter('mcp_restarts_total', 'Restarts of the tool server after it ended.', sidecar.restarts);
  const { user, system } = process.cpuUsage();
  page.counter(
    'process_cpu_seconds_total',
    'CPU time used by all threads of the service.',
    (user + system) / 1e6,
  );
  page.gauge(
    'process_resident_memory_bytes',
    'Resident memory of the service in bytes.',
    process.memoryUsage.rss(),
  );
  page.gauge('process_uptime_seconds', 'Seconds since the service was started.', process.uptime());
}
