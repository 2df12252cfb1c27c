import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RecordingFinisher } from '../../src/actors/recordings/recording-finisher.js';
import { RecordingFolder } from '../../src/actors/recordings/recording-folder.js';
import type { RecordedTerminals } from '../../src/actors/recordings/running-recording.js';
import { RunningRecordings } from '../../src/actors/recordings/running-recordings.js';
import { DomainError } from '../../src/contract/errors.js';
import {
  RECORDING_END_CHECK_MS,
  RECORDING_LEAVE_MS,
  RECORDINGS_STOP_DEADLINE_MS,
} from '../../src/contract/limits.js';
import type { StartRecording } from '../../src/contract/recording.js';
import { finishRecording } from '../../src/workers/jobs/finish-recording.js';
import type { JobPool } from '../../src/workers/jobs/pool.js';
import { RecordedByHand } from '../support/recorded-terminals.js';

const request = (terminal_id: string): StartRecording => ({
  terminal_id,
  options: {
    ...{ include_output: true, include_input: true, include_resize: true },
    ...{ compression: 'none', auto_stop: false },
  },
});

let path: string;
let log: string;
let finished: string[];
/** Those of them that are marked as cut. */
let cut: string[];
let terminals: RecordedByHand;
let recordings: RunningRecordings;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'at-running-'));
  [log, finished, cut] = ['', [], []];
  terminals = new RecordedByHand();
  const keepLog = (line: string) => {
    log += line;
  };
  const logger = pino({}, { write: keepLog });
  const folder = new RecordingFolder(path, logger);
  const run = (_name: string, input: Parameters<typeof finishRecording>[0]) => finishRecording(input);
  const finisher = new RecordingFinisher({
    ...{ folder, logger, jobs: { run } as unknown as Pick<JobPool, 'run'> },
    onFinished: ({ id, truncated }) => {
      finished.push(id);
      if (truncated) cut.push(id);
    },
  });
  recordings = new RunningRecordings({ folder, finisher, logger, onChanged: () => undefined }, []);
  recordings.follow(terminals as unknown as RecordedTerminals);
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(path, { recursive: true });
});

/** Waits without timers, since the test may have replaced them; the test runner sets the deadline. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const gate = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};
const unavailable = async () => {
  throw new DomainError('unavailable');
};

describe('a recording', () => {
  it('that ends right after its start is answered is finished and does not run', async () => {
    terminals.after = async () => terminals.slot('a').close();
    const id = await recordings.start(request('a'));
    await until(() => finished.length === 1);
    expect([finished, recordings.ids()]).toEqual([[id], []]);
  });

  it('that its shard no longer knows is ended from its file by a stop', async () => {
    const id = await recordings.start(request('a'));
    terminals.slot('a').typed(['x'], Date.now());
    terminals.slot('a').flush();
    terminals.slots.delete('a');
    expect(await recordings.stop(id)).toEqual({ recordingId: id, size: 1, eventCount: 1 });
    expect([finished, recordings.ids()]).toEqual([[id], []]);
  });

  it('is ordered after a recording started in the same millisecond', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    for (const id of ['c', 'a', 'b']) await recordings.start(request(id));
    const times = terminals.plans.map(({ startTime }) => startTime);
    expect(times).toEqual([...new Set(times)].sort());
    await recordings.stopAll();
  });

  it('marks when an agent begins to wait if it was asked to, once however often that is reported', async () => {
    const { terminal_id, options } = request('a');
    await recordings.start(request('b'));
    const id = await recordings.start({ terminal_id, options: { ...options, include_marks: true } });
    const tell = (agentStatus: 'waiting' | 'working') => {
      for (const each of ['a', 'b'])
        terminals.tell({
          ...{ type: 'agent', id: each },
          agent: { agent: 'claude', agentStatus, agentStatusReason: `it is ${agentStatus}` },
        });
    };
    for (const status of ['working', 'waiting', 'waiting', 'working', 'waiting'] as const) tell(status);
    await until(() => terminals.marks.length === 2);
    expect(terminals.marks).toEqual(['it is waiting', 'it is waiting']);
    expect(await recordings.stop(id)).toMatchObject({ eventCount: 2 });
  });

  it('logs a warning if typed text cannot be handed on', async () => {
    const id = await recordings.start(request('a'));
    terminals.before = unavailable;
    const written = { isHidden: false, position: 0 };
    terminals.tell({ type: 'written', id: 'a', parts: [{ data: 'x' }], at: Date.now(), ...written });
    await until(() => log.includes('typed text'));
    expect(JSON.parse(log.trim())).toMatchObject({ level: 40, recording: id });
    terminals.before = async () => {};
    await recordings.stop(id);
  });
});

describe('a start that fails', () => {
  it('leaves no file, and the terminal can be recorded again', async () => {
    terminals.after = unavailable;
    await expect(recordings.start(request('a'))).rejects.toMatchObject({ code: 'unavailable' });
    await until(() => readdirSync(path).length === 0);
    terminals.after = async () => {};
    await recordings.stop(await recordings.start(request('a')));
    expect(finished.length).toBe(1);
  });

  it('leaves no file either if its shard begins and ends it after all calls have timed out', async () => {
    terminals.isHung = true;
    await expect(recordings.start(request('a'))).rejects.toMatchObject({ code: 'unavailable' });
    await terminals.wake();
    expect(terminals.plans.length).toBe(1);
    await until(() => readdirSync(path).length === 0);
    expect([finished, recordings.ids()]).toEqual([[], []]);
  });
});

describe('a terminal that is removed', () => {
  it('has its recording ended once no shard writes it, not while a slow shard may', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const id = await recordings.start(request('a'));
    terminals.tell({ type: 'removed', id: 'a', reason: 'closed' });
    await vi.advanceTimersByTimeAsync(RECORDING_END_CHECK_MS);
    terminals.answers = false;
    await vi.advanceTimersByTimeAsync(RECORDING_END_CHECK_MS);
    expect([finished, recordings.ids()]).toEqual([[], [id]]);
    // The shard has died.
    terminals.answers = true;
    terminals.written.clear();
    await vi.advanceTimersByTimeAsync(RECORDING_END_CHECK_MS);
    await until(() => finished.length === 1);
    expect([finished, recordings.ids()]).toEqual([[id], []]);
    // Nobody knows whether it has all that was printed.
    expect(cut).toEqual([id]);
  });
});

describe('a recording whose terminal has just gone', () => {
  const gone = (id: string) => terminals.tell({ type: 'removed', id, reason: 'closed' });

  it('is not active any more, and readers wait until it is being finished', async () => {
    const id = await recordings.start(request('a'));
    const other = await recordings.start(request('b'));
    expect(recordings.activeOf('a')?.recordingId).toBe(id);
    gone('a');
    expect(recordings.activeOf('a')).toBeUndefined();
    expect(recordings.active().map(({ recordingId }) => recordingId)).toEqual([other]);
    expect(recordings.isRunning(id)).toBe(true);
    const files = [recordings.settled(id), recordings.settled()].map(async (settled) => {
      await settled;
      return readdirSync(path).includes(`${id}.json`);
    });
    await recordings.settled(other);
    terminals.slot('a').close();
    expect(await Promise.all(files)).toEqual([true, true]);
    expect(recordings.isRunning(id)).toBe(false);
    await recordings.stop(other);
    await until(() => finished.length === 2);
  });

  it('keeps no reader for longer than a while if its shard hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const id = await recordings.start(request('a'));
    gone('a');
    const settled = recordings.settled(id);
    await vi.advanceTimersByTimeAsync(RECORDING_LEAVE_MS);
    await settled;
    expect([recordings.activeOf('a'), recordings.isRunning(id)]).toEqual([undefined, true]);
  });

  it('keeps readers also if the pty host is lost', async () => {
    const id = await recordings.start(request('a'));
    terminals.tell({ type: 'removed', id: 'a', reason: 'lost' });
    expect(recordings.activeOf('a')).toBeUndefined();
    await recordings.settled(id);
    await until(() => finished.length === 1);
    expect(recordings.isRunning(id)).toBe(false);
  });
});

describe('stopAll', () => {
  it('stops starting recordings too, joins stops, and refuses to start more', async () => {
    const { open, opened } = gate();
    const running = await recordings.start(request('a'));
    terminals.after = () => opened;
    const starting = recordings.start(request('b'));
    const stopping = recordings.stop(running);
    const all = recordings.stopAll();
    await expect(recordings.start(request('c'))).rejects.toMatchObject({ code: 'shutting-down' });
    open();
    await all;
    expect(finished.sort()).toEqual([running, await starting].sort());
    expect((await stopping).recordingId).toBe(running);
    expect(log).toBe('');
  });

  it('goes on at its deadline if a shard does not answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const id = await recordings.start(request('a'));
    const { opened } = gate();
    terminals.before = () => opened;
    const all = recordings.stopAll();
    await vi.advanceTimersByTimeAsync(RECORDINGS_STOP_DEADLINE_MS);
    await all;
    expect(log).toContain('not all recordings were stopped in time');
    expect(readdirSync(path)).toEqual([`${id}.recording`]);
  });
});
