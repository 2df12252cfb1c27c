import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Terminal } from '#dist/contract/terminal.js';
import { CLAUDE, drawnAgent } from '../support/drawn-agents.js';
import { fakeAgents } from '../support/fake-agents.js';
import { type Api, createApi, watch } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;

beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
});
afterAll(() => service?.stop());

/** Samples by name and labels, as `name{label="value"}`; throws if a line is not in the text format. */
function parse(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  const described = new Set<string>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const comment = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line);
    if (comment) {
      described.add(`${comment[1]} ${comment[2]}`);
      continue;
    }
    const sample = /^((\w+)(?:\{\w+="[^"]*"\})?) (\S+)$/.exec(line);
    if (!sample) throw new Error(`no line of the text format: ${line}`);
    const [, key = '', name, value] = sample;
    expect([name, described.has(`HELP ${name}`), described.has(`TYPE ${name}`)]).toEqual([name, true, true]);
    expect([key, samples.has(key)]).toEqual([key, false]);
    samples.set(key, Number(value));
  }
  return samples;
}

async function scrape(): Promise<Map<string, number>> {
  const { status, headers, body } = await api.raw({ path: '/metrics' });
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return parse(body);
}

/** The value of a sample, named without the common prefix. */
async function value(key: string): Promise<number> {
  return (await scrape()).get(`auto_terminal_${key}`) ?? Number.NaN;
}

const create = async (command: string[], more = {}) =>
  (await api.post<Terminal>('/api/terminals', { command, ...more })).body.id;

describe('GET /metrics', () => {
  test('names follow the conventions of Prometheus', async () => {
    const names = [...(await scrape()).keys()].map((key) => key.replace(/\{.*/, ''));
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) expect(name).toMatch(/^auto_terminal_[a-z0-9_]+$/);
  });

  test('terminals running, exited and created', async () => {
    const before = await scrape();
    const id = await create(['cat']);
    await create(['true']);
    await eventually('one has exited', async () => (await value('terminals{status="exited"}')) === 1);
    expect(await value('terminals{status="running"}')).toBe(1);
    expect(await value('terminals_created_total')).toBe(
      before.get('auto_terminal_terminals_created_total')! + 2,
    );
    await api.delete(`/api/terminals/${id}`);
    expect(await value('terminals{status="running"}')).toBe(0);
  });

  test('bytes typed and bytes printed', async () => {
    const before = await scrape();
    const id = await create(['sh', '-c', 'stty raw -echo; printf go; exec cat > /dev/null']);
    // Once `go` is printed, typed input is not echoed.
    const printed = before.get('auto_terminal_output_bytes_total')! + 'go'.length;
    await eventually('it does not echo', async () => (await value('output_bytes_total')) === printed);
    const typed = 'é'.repeat(1_000);
    await api.post(`/api/terminals/${id}/input`, { data: typed });
    await create(['head', '-c', '3000000', '/dev/zero']);
    await eventually('all of the flood is counted', async () => {
      const after = await scrape();
      return after.get('auto_terminal_output_bytes_total')! === printed + 3_000_000;
    });
    expect(await value('input_bytes_total')).toBe(before.get('auto_terminal_input_bytes_total')! + 2_000);
  });

  test('clients, and the bytes sent to them', async () => {
    const watcher = await watch(service.url);
    const before = await scrape();
    expect(before.get('auto_terminal_websocket_clients')).toBe(1);
    const id = await create(['echo', 'x'.repeat(10_000)]);
    await watcher.untilOutput(id, 'x'.repeat(10_000));
    const after = await scrape();
    const grown = (key: string) => after.get(`auto_terminal_${key}`)! - before.get(`auto_terminal_${key}`)!;
    expect(grown('websocket_frames_sent_total')).toBeGreaterThan(0);
    expect(grown('websocket_sent_bytes_total')).toBeGreaterThan(10_000);
    await watcher.close();
    await eventually('the client is gone', async () => (await value('websocket_clients')) === 0);
    expect(await value('websocket_sent_bytes_total')).toBeGreaterThanOrEqual(
      after.get('auto_terminal_websocket_sent_bytes_total')!,
    );
  });

  test('a slow client: waiting and dropped output, and the screen in its place', async () => {
    const before = await scrape();
    const slow = new WebSocket(`${service.url.replace('http', 'ws')}/ws`);
    await new Promise((resolve) => slow.once('message', resolve));
    slow.pause();
    const id = await create(['sh', '-c', 'yes | head -c 40000000; exec cat'], { index: false });
    const dropped = 'auto_terminal_websocket_frames_dropped_total';
    await eventually('frames are dropped', async () => (await scrape()).get(dropped)! > before.get(dropped)!);
    expect(await value('websocket_queue_bytes')).toBeGreaterThan(1_000_000);
    expect(await value('websocket_queue_max_bytes')).toBe(await value('websocket_queue_bytes'));
    slow.resume();
    await eventually('the screen is sent', async () => (await value('websocket_resyncs_total')) === 1);
    slow.terminate();
    await api.delete(`/api/terminals/${id}`);
  });

  test('every shard and every loop', async () => {
    const samples = await scrape();
    expect(samples.get('auto_terminal_shard_up{shard="0"}')).toBe(1);
    expect(samples.get('auto_terminal_shard_restarts_total{shard="0"}')).toBe(0);
    for (const name of ['shard_stream_queue_bytes', 'shard_parse_queue_bytes']) {
      expect(samples.get(`auto_terminal_${name}{shard="0"}`)).toBeGreaterThanOrEqual(0);
    }
    for (const thread of ['main', 'shard-0']) {
      const [p50, p99, max] = ['p50', 'p99', 'max'].map(
        (part) => samples.get(`auto_terminal_event_loop_delay_${part}_seconds{thread="${thread}"}`)!,
      );
      expect(p50).toBeGreaterThanOrEqual(0);
      expect(p99).toBeGreaterThanOrEqual(p50!);
      expect(max).toBeLessThan(10);
    }
    expect(samples.get('auto_terminal_process_resident_memory_bytes')).toBeGreaterThan(30_000_000);
    expect(samples.get('auto_terminal_process_cpu_seconds_total')).toBeGreaterThan(0);
  });

  test('text that the search index takes in', async () => {
    const before = await value('search_indexed_bytes_total');
    await create(['echo', 'a line for the index']);
    await eventually('it is counted', async () => (await value('search_indexed_bytes_total')) > before);
    expect(await value('search_left_out_bytes_total')).toBeGreaterThanOrEqual(0);
  });

  test('running recordings', async () => {
    const id = await create(['cat']);
    const { body } = await api.post<{ recordingId: string }>('/api/recordings/start', { terminal_id: id });
    expect(await value('recordings_active')).toBe(1);
    await api.post(`/api/recordings/stop/${body.recordingId}`);
    expect(await value('recordings_active')).toBe(0);
  });

  test('commands run in many terminals and in a fleet, by result', async () => {
    const before = await scrape();
    const shell = await create(['bash']);
    const run = (terminalIds: string[], command: string, more = {}) =>
      api.post('/api/terminals/batch/run', { terminalIds, command, ...more });
    await run([shell], 'true');
    await run([shell, 'gone'], '(exit 3)');
    await run([await create(['cat'])], 'echoed', { idleMs: 50 });
    await api.post('/api/fleet/execute', { command: 'true', terminalId: shell });
    await run([shell], 'sleep 60', { timeoutMs: 0 });
    const after = await scrape();
    const grown = (result: string) => {
      const key = `auto_terminal_runs_total{result="${result}"}`;
      return after.get(key)! - before.get(key)!;
    };
    expect(['succeeded', 'failed', 'unknown', 'unfinished', 'refused'].map(grown)).toEqual([2, 1, 1, 1, 1]);
  });

  test('regular expressions that took too long', async () => {
    expect(await value('regexes_too_slow_total')).toBe(0);
    const id = await create(['sh', '-c', `printf '%s!' ${'a'.repeat(60)}; exec cat`]);
    for (const [regex, reason] of [
      ['a!', 'text'],
      ['(a+)+$', 'regex-too-slow'],
    ]) {
      const path = `/api/terminals/${id}/wait`;
      const { body } = await api.post(path, { until: 'text', regex, timeoutMs: 60_000 });
      expect(body).toMatchObject({ reason });
    }
    expect(await value('regexes_too_slow_total')).toBe(1);
  });

  test('replayed answers', async () => {
    const keyed = createApi(service.url, { headers: { 'idempotency-key': 'metrics' } });
    for (let times = 0; times < 3; times++) {
      const { status } = await keyed.post('/api/terminals', { command: ['cat'] });
      expect([status, await value('idempotent_replays_total')]).toEqual([200, times]);
    }
  });

  test('watched agents, by status', async () => {
    const agents = await fakeAgents();
    const path = await agents.script('bin/claude', drawnAgent(CLAUDE));
    const id = await create([path]);
    const statuses = async () => {
      const samples = await scrape();
      return ['idle', 'working', 'waiting'].map((status) =>
        samples.get(`auto_terminal_agents{status="${status}"}`),
      );
    };
    expect(await statuses()).toEqual([0, 0, 0]);
    const watcher = await watch(service.url, 'events=lifecycle');
    await eventually('it is idle', async () => `${await statuses()}` === '1,0,0');
    await api.post(`/api/terminals/${id}/input`, { data: 'p' });
    await eventually('it waits', async () => `${await statuses()}` === '0,0,1');
    await watcher.close();
    await eventually('nobody follows any more', async () => `${await statuses()}` === '0,0,0');
    await agents.remove();
  });

  test('is behind the guard', async () => {
    expect((await api.raw({ path: '/metrics', headers: { host: 'evil.example' } })).status).toBe(403);
  });
});
