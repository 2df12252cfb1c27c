import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RecordingEvent, RecordingOptions } from '../../src/contract/recording.js';
import { RecordingFile } from '../../src/store/recording-file.js';
import { Recorder } from '../../src/workers/shard/stages/recorder.js';
import { unfinishedCharacter } from '../../src/workers/shard/unfinished-character.js';
import { output, step } from '../support/recorder-steps.js';
import { tries } from '../support/tries.js';

const RUNS = tries(300);
const ID = '00000000-0000-4000-8000-000000000000';
const ALL: RecordingOptions = {
  ...{ include_output: true, include_input: true, include_resize: true },
  ...{ compression: 'gzip', auto_stop: false },
};

let folder: string;
let running: string;
let finished: string;
const failed = (error: unknown) => {
  throw error;
};

beforeEach(() => {
  // The test controls timers and clock.
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), 'at-recorder-'));
  running = join(folder, `${ID}.recording`);
  finished = join(folder, `${ID}.json`);
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function begin(position: number, pending = '', options = ALL): Recorder {
  const file = RecordingFile.create(
    running,
    {
      ...{ version: 1, id: ID, terminal_id: 'term_x', start_time: new Date().toISOString(), end_time: null },
      metadata: { title: null, shell_type: 'bash', initial_size: { cols: 80, rows: 24 } },
      ...{ size: 0, compressed: true, event_count: 0, options },
    },
    { position, pending, timestamp: 0, cols: 80, rows: 24 },
  );
  return new Recorder(file, failed);
}

/** Resumes as another process does after a kill: nothing of the first process goes on, not even its timers. */
function resume(): Recorder {
  vi.clearAllTimers();
  return new Recorder(RecordingFile.resume(running)!, failed);
}

async function finish(recorder: Recorder) {
  const totals = await recorder.finish();
  const recording = JSON.parse(readFileSync(finished, 'utf8')) as {
    events: RecordingEvent[];
    size: number;
    event_count: number;
    journal?: object;
  };
  expect(recording.journal).toBeUndefined();
  expect(recording.event_count).toBe(recording.events.length);
  expect(recording.size).toBe(recording.events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0));
  expect(totals).toEqual({ recordingId: ID, size: recording.size, eventCount: recording.event_count });
  const times = recording.events.map(({ timestamp }) => timestamp);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  rmSync(finished);
  const of = (type: string) => recording.events.filter((event) => event.event_type === type);
  return {
    ...recording,
    output: of('output')
      .map(({ data }) => data)
      .join(''),
    inputs: of('input').map(({ data }) => data),
    resizes: of('resize').map(({ data }) => data),
  };
}

describe('a recorder', () => {
  it('records exactly the printed output, however it is cut, wherever it is resumed', async () => {
    await fc.assert(
      fc.asyncProperty(output, fc.nat(50), fc.array(step, { maxLength: 40 }), async (all, early, steps) => {
        const start = Math.min(early, all.length);
        const unfinished = unfinishedCharacter(all.subarray(0, start));
        let recorder = begin(start, all.subarray(start - unfinished, start).toString('hex'));
        let at = start;
        let flushed = start;
        const print = (bytes: number) => {
          const end = Math.min(all.length, at + bytes);
          recorder.output(all.subarray(at, end), end);
          at = end;
        };
        for (const each of steps) {
          if (each.kind === 'output') print(each.bytes);
          else if (each.kind === 'wait') vi.advanceTimersByTime(each.ms);
          else if (each.kind === 'typed') recorder.typed(['key'], Date.now() - each.ago);
          else if (each.kind === 'flush') {
            recorder.flush();
            flushed = at;
          } else {
            // Events of a write whose head was never written.
            if (each.torn > 0) {
              const text = readFileSync(running);
              const torn = ',\n{"event_type":"output","data":"torn","timestamp":1}\n]}\n';
              writeFileSync(
                running,
                Buffer.concat([text.subarray(0, -4), Buffer.from(torn).subarray(0, each.torn)]),
              );
            }
            recorder = resume();
            at = Math.max(0, flushed - each.back);
          }
        }
        print(all.length);
        const { output: recorded } = await finish(recorder);
        expect(recorded).toBe(all.toString('utf8', start - unfinished));
      }),
      { numRuns: RUNS },
    );
  });

  it('keeps a mark between what was printed before it and after it', async () => {
    const recorder = begin(0);
    recorder.output(Buffer.from('before'), 6);
    recorder.mark('it asks');
    recorder.output(Buffer.from('after'), 11);
    const { events } = await finish(recorder);
    expect(events.map(({ event_type, data }) => [event_type, data])).toEqual([
      ['output', 'before'],
      ['mark', 'it asks'],
      ['output', 'after'],
    ]);
  });

  it('keeps typed input and resizes in their place, and replayed resizes once', async () => {
    const recorder = begin(0);
    recorder.output(Buffer.from('before'), 6);
    recorder.resized({ cols: 100, rows: 30 }, 6, { number: 1, isNew: false });
    recorder.typed(['ls', '\r'], Date.now());
    recorder.output(Buffer.from('after'), 11);
    recorder.flush();
    const next = resume();
    // The pty host replays the output from the beginning, with a resize that came meanwhile.
    next.output(Buffer.from('before'), 6);
    next.resized({ cols: 100, rows: 30 }, 6, { number: 1, isNew: false });
    next.output(Buffer.from('after'), 11);
    next.resized({ cols: 90, rows: 20 }, 11, { number: 1, isNew: false });
    const { events } = await finish(next);
    expect(events.map(({ event_type, data }) => [event_type, data])).toEqual([
      ['output', 'before'],
      ['resize', '100x30'],
      ['input', 'ls'],
      ['input', '\r'],
      ['output', 'after'],
      ['resize', '90x20'],
    ]);
  });

  it('gathers the output of one moment into one event, up to its bound', async () => {
    const recorder = begin(0);
    const chunk = Buffer.from('x'.repeat(1_000));
    let position = 0;
    const print = (bytes: Buffer) => {
      position += bytes.length;
      recorder.output(bytes, position);
    };
    for (let count = 0; count < 20; count++) print(chunk);
    vi.advanceTimersByTime(20);
    print(chunk);
    vi.advanceTimersByTime(100);
    print(Buffer.alloc(200_000, 'y'));
    const { events } = await finish(recorder);
    expect(events.map(({ data }) => data.length)).toEqual([20_000, 1_000, 65_536, 65_536, 65_536, 3_392]);
    expect(events.map(({ timestamp }) => timestamp)).toEqual([0, 20, 120, 120, 120, 120]);
  });

  it('writes pending events within 50 ms, and then has no timer', async () => {
    const recorder = begin(0);
    expect(vi.getTimerCount()).toBe(0);
    recorder.output(Buffer.from('x'), 1);
    vi.advanceTimersByTime(50);
    expect(readFileSync(running, 'utf8')).toContain('"data":"x"');
    expect(vi.getTimerCount()).toBe(0);
    await finish(recorder);
  });

  it('is a JSON file at each moment', async () => {
    const recorder = begin(0);
    for (let count = 0; count <= 3; count++) {
      expect(JSON.parse(readFileSync(running, 'utf8'))).toMatchObject({ id: ID, event_count: count });
      recorder.typed([`"events":[ \0 \ud800 ${count}`], Date.now());
      recorder.flush();
    }
    const { inputs } = await finish(recorder);
    expect(inputs).toEqual([0, 1, 2, 3].map((count) => `"events":[ \0 \ud800 ${count}`));
  });

  it('keeps only what it was asked to', async () => {
    for (const option of ['include_output', 'include_input', 'include_resize'] as const) {
      const recorder = begin(0, '', { ...ALL, [option]: false });
      recorder.output(Buffer.from('out'), 3);
      recorder.typed(['in'], Date.now());
      recorder.resized({ cols: 10, rows: 10 }, 3, { number: 1, isNew: false });
      const { events } = await finish(recorder);
      expect(events.map(({ event_type }) => `include_${event_type}`)).not.toContain(option);
      expect(events.length).toBe(2);
    }
  });

  it('an unfinished character becomes U+FFFD at the stop', async () => {
    const recorder = begin(0);
    recorder.output(Buffer.from([0x61, 0xe2, 0x82]), 3);
    expect((await finish(recorder)).output).toBe('a\ufffd');
  });

  it('an echo that arrives before its input is placed after it', async () => {
    const recorder = begin(0);
    recorder.output(Buffer.from('prompt'), 6);
    vi.advanceTimersByTime(10);
    const typedAt = Date.now();
    vi.advanceTimersByTime(10);
    recorder.output(Buffer.from('echo'), 10);
    recorder.typed(['key'], typedAt);
    recorder.output(Buffer.from('more'), 14);
    const { events } = await finish(recorder);
    expect(events.map(({ event_type, data, timestamp }) => [event_type, data, timestamp])).toEqual([
      ['output', 'prompt', 0],
      ['input', 'key', 10],
      ['output', 'echomore', 20],
    ]);
  });

  it('time does not go back with the clock of the machine', async () => {
    vi.setSystemTime(Date.now() + 10_000);
    const recorder = begin(0);
    vi.advanceTimersByTime(5_000);
    recorder.output(Buffer.from('a'), 1);
    recorder.flush();
    vi.setSystemTime(Date.now() - 60_000);
    const next = resume();
    next.output(Buffer.from('b'), 2);
    const { events } = await finish(next);
    expect(events.map(({ timestamp }) => timestamp)).toEqual([5_000, 5_000]);
  });
});
