import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CATCH_UP_AT_CLOSE_MS } from '../../src/contract/limits.js';
import type { RecordingEvent } from '../../src/contract/recording.js';
import { RecordingFile } from '../../src/store/recording-file.js';
import { IN_MEMORY } from '../../src/workers/kept.js';
import type { HostConnection } from '../../src/workers/pty-host/client/host-client.js';
import type { TerminalSink } from '../../src/workers/pty-host/client/terminal-sink.js';
import type { StreamMessage } from '../../src/workers/shard/protocol.js';
import { Shard } from '../../src/workers/shard/shard.js';
import type { RecordingPlan } from '../../src/workers/shard/stages/recording-plan.js';
import { StreamPort } from '../../src/workers/shard/stream-port.js';

const ID = '00000000-0000-4000-8000-000000000000';

let folder: string;
let plan: RecordingPlan;
let sink: TerminalSink;
let isDetached: boolean;
let posted: StreamMessage[];
let shard: Shard;

/** Makes a shard that resumes the recording of a terminal as after a restart; the test is its pty host. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'at-closing-'));
  const options = {
    ...{ include_output: true, include_input: true, include_resize: true },
    ...{ compression: 'none' as const, auto_stop: false },
  };
  const startTime = new Date().toISOString();
  plan = { recordingId: ID, file: join(folder, `${ID}.recording`), startTime, shellType: null, options };
  RecordingFile.create(
    plan.file,
    {
      ...{ version: 1, id: ID, terminal_id: 't', start_time: startTime, end_time: null },
      metadata: { title: null, shell_type: null, initial_size: { cols: 80, rows: 24 } },
      ...{ size: 0, compressed: false, event_count: 0, options },
    },
    { position: 0, pending: '', timestamp: 0, cols: 80, rows: 24 },
  );
  [isDetached, posted] = [false, []];
  const host = {
    attach: (_handle: number, to: TerminalSink) => {
      sink = to;
    },
    detach: () => {
      isDetached = true;
    },
    confirm: () => {},
    checkpoint: () => {},
  };
  shard = new Shard({
    ...{ host: host as unknown as HostConnection, scrollback: 100, spill: IN_MEMORY },
    port: new StreamPort({
      postMessage: (message: StreamMessage) => void posted.push(message),
    } as unknown as MessagePort),
  });
  shard.feed(true);
  const known = { labels: {}, commands: { nonce: 'N' }, index: { cursor: undefined } };
  shard.open({ id: 't', handle: 1, isNew: false, recording: plan, ...known });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const restore = (end: number) =>
  sink.restore({ position: 0, end, confirmed: 0, cols: 80, rows: 24, bytes: Buffer.alloc(0) });

/** Waits without timers, since the test may have replaced them; the test runner sets the deadline. */
async function recorded(): Promise<{ truncated?: true; events: RecordingEvent[] }> {
  while (!posted.some(({ type }) => type === 'recorded')) await new Promise(setImmediate);
  return JSON.parse(readFileSync(join(folder, `${ID}.json`), 'utf8'));
}

describe('a terminal that is closed before its shard has caught up', () => {
  it('has the rest of its output recorded and indexed, and is read until then', async () => {
    const closed = shard.close('t');
    restore(8);
    sink.output(Buffer.from('down'));
    await new Promise(setImmediate);
    expect(isDetached).toBe(false);
    sink.output(Buffer.from('time'));
    await closed;
    expect(isDetached).toBe(true);
    const { truncated, events } = await recorded();
    expect([truncated, events.map(({ data }) => data).join('')]).toEqual([undefined, 'downtime']);
    await shard.settle();
    expect(JSON.stringify(posted.filter(({ type }) => type === 'printed'))).toContain('downtime');
  });

  it('refuses its calls at once', async () => {
    const look = shard.look('t');
    void shard.close('t');
    await expect(look).rejects.toMatchObject({ code: 'terminal-not-found' });
    restore(0);
    await recorded();
  });

  it('is closed in a bounded time if the rest does not come, with its recording cut', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const closed = shard.close('t');
    restore(8);
    sink.output(Buffer.from('down'));
    await vi.advanceTimersByTimeAsync(CATCH_UP_AT_CLOSE_MS);
    await closed;
    const { truncated, events } = await recorded();
    expect([isDetached, truncated, events.map(({ data }) => data)]).toEqual([true, true, ['down']]);
  });

  it('is closed at once if the pty host does not know it any more, with its recording cut', async () => {
    const closed = shard.close('t');
    sink.detached?.();
    await closed;
    expect((await recorded()).truncated).toBe(true);
  });
});

it('a terminal that has caught up is closed without waiting', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  restore(4);
  sink.output(Buffer.from('seen'));
  await shard.close('t');
  expect((await recorded()).truncated).toBeUndefined();
});
