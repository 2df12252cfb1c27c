import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RecordingEvent, RecordingOptions } from '../../src/contract/recording.js';
import { RecordingFile } from '../../src/store/recording-file.js';
import type { RecordingEnd } from '../../src/workers/shard/stages/recording-plan.js';
import { RecordingSlot } from '../../src/workers/shard/stages/recording-slot.js';

const ID = '00000000-0000-4000-8000-000000000000';
const ALL: RecordingOptions = {
  ...{ include_output: true, include_input: true, include_resize: true },
  ...{ compression: 'none', auto_stop: false },
};

let folder: string;
let ends: RecordingEnd[];
let written: Set<string>;
let slot: RecordingSlot;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'at-slot-'));
  ends = [];
  written = new Set();
  slot = new RecordingSlot({ onEnded: (end) => ends.push(end), written });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function start(position: number, options = ALL, startTime = new Date().toISOString()): void {
  const plan = {
    recordingId: ID,
    file: join(folder, `${ID}.recording`),
    startTime,
    shellType: null,
    options,
  };
  slot.start(plan, { terminalId: 'term_x', position, size: { cols: 80, rows: 24 } });
}

/** Continues the recording in a slot that knows nothing of the one before, as after a restart of the service. */
function restart(): void {
  slot = new RecordingSlot({ onEnded: (end) => ends.push(end), written });
  slot.resume({
    ...{ recordingId: ID, startTime: '', shellType: null, options: ALL },
    file: join(folder, `${ID}.recording`),
  });
}

const finished = () =>
  JSON.parse(readFileSync(join(folder, `${ID}.json`), 'utf8')) as {
    events: RecordingEvent[];
    end_time: string;
  };

describe('the recording of a terminal', () => {
  it('that starts within a character begins with all of it, however it was cut', async () => {
    let position = 0;
    const print = (...bytes: number[]) => {
      position += bytes.length;
      slot.output(Uint8Array.from(bytes), position);
    };
    print(0x61, 0x62, 0x63, 0xf0);
    print(0x9f);
    print(0x99);
    start(position);
    print(0x82, 0x21);
    await slot.stop();
    expect(finished().events.map(({ data }) => data)).toEqual(['🙂!']);
  });

  it('has each resize of a quiet program once, whatever is replayed', async () => {
    const sizes = (...all: Array<[number, number]>) => {
      for (const [cols, rows] of all) slot.resized(cols, rows, 4);
    };
    slot.output(Buffer.from('text'), 4);
    sizes([100, 30], [90, 25]);
    start(4);
    sizes([120, 30], [90, 25], [120, 30]);
    slot.flush();
    restart();
    // The pty host has all of them, and a resize that came meanwhile.
    slot.output(Buffer.from('text'), 4);
    sizes([100, 30], [90, 25], [120, 30], [90, 25], [120, 30], [70, 20]);
    // It then drops all up to the last resize to this size, and keeps one.
    slot.beforeSave({ position: 4, cols: 120, rows: 30 });
    restart();
    sizes([70, 20], [80, 24]);
    slot.flush();
    restart();
    sizes([70, 20], [80, 24], [70, 20]);
    await slot.stop();
    expect(finished().events.map(({ data }) => data)).toEqual([
      '120x30',
      '90x25',
      '120x30',
      '70x20',
      '80x24',
      '70x20',
    ]);
  });

  it('has a new resize of which the pty host had dropped more than the shard knew', async () => {
    slot.output(Buffer.from('text'), 4);
    start(4);
    // The checkpoint of 80 columns is made before the two resizes come, and the host forgets both for it.
    slot.beforeSave({ position: 4, cols: 80, rows: 24 });
    slot.resized(100, 24, 4);
    slot.resized(80, 24, 4);
    slot.flush();
    restart();
    slot.output(Buffer.from('text'), 4);
    slot.resized(120, 30, 4, true);
    slot.flush();
    restart();
    slot.output(Buffer.from('text'), 4);
    slot.resized(120, 30, 4);
    await slot.stop();
    expect(finished().events.map(({ data }) => data)).toEqual(['100x24', '80x24', '120x30']);
  });

  it('that an older release began continues, and has the replayed resize to its size once', async () => {
    start(4);
    slot.resized(100, 30, 4);
    slot.flush();
    const file = join(folder, `${ID}.recording`);
    const older = (text: string) => text.replace(/,"resizes":1(.*?)"events"/, `$1${' '.repeat(12)}"events"`);
    writeFileSync(file, older(readFileSync(file, 'utf8')));
    restart();
    slot.resized(100, 30, 4);
    slot.resized(90, 25, 4);
    await slot.stop();
    expect(finished().events.map(({ data }) => data)).toEqual(['100x30', '90x25']);
  });

  it('that starts within a character has nothing of it if nothing follows, also over a restart', async () => {
    slot.output(Uint8Array.from([0x61, 0xe4, 0xb8]), 3);
    start(3);
    slot.resized(100, 30, 3);
    slot.flush();
    restart();
    await slot.stop();
    expect(finished().events.map(({ event_type }) => event_type)).toEqual(['resize']);
  });

  it('that ends within a character has U+FFFD when that came, but not before what was typed after it', async () => {
    vi.useFakeTimers();
    start(0);
    vi.advanceTimersByTime(1_000);
    slot.output(Uint8Array.from([0xe2]), 1);
    vi.advanceTimersByTime(1_000);
    restart();
    vi.advanceTimersByTime(1_000);
    await slot.stop();
    expect(finished().events.map(({ data, timestamp }) => [data, timestamp])).toEqual([['\ufffd', 1_000]]);
    start(1);
    slot.output(Uint8Array.from([0x61, 0xe2]), 3);
    vi.advanceTimersByTime(1_000);
    slot.typed(['key'], Date.now());
    vi.advanceTimersByTime(1_000);
    await slot.stop();
    const last = finished().events.slice(1);
    expect(last.map(({ data, timestamp }) => [data, timestamp])).toEqual([
      ['key', 1_000],
      ['\ufffd', 1_000],
    ]);
  });

  it('has no output unless asked for, also when it starts within a character', async () => {
    slot.output(Uint8Array.from([0xe2, 0x82]), 2);
    start(2, { ...ALL, include_output: false });
    slot.output(Uint8Array.from([0xac]), 3);
    const { eventCount } = await slot.stop();
    expect([eventCount, finished().events]).toEqual([0, []]);
  });

  it('whose last write fails reports the failure, and returns the content of its file', async () => {
    start(0);
    slot.output(Buffer.from('kept'), 4);
    slot.flush();
    slot.output(Buffer.from('lost'), 8);
    vi.spyOn(RecordingFile.prototype, 'append').mockImplementation(() => {
      throw new Error('ENOSPC: no space left on device');
    });
    expect(await slot.stop()).toEqual({ recordingId: ID, size: 4, eventCount: 1, truncated: true });
    expect(finished().events.map(({ data }) => data)).toEqual(['kept']);
    expect(ends).toEqual([{ recordingId: ID, fault: expect.stringContaining('ENOSPC') as string }]);
  });

  it('counts as written until its file is finished, and a second stop answers only then', async () => {
    start(0);
    expect([...written]).toEqual([ID]);
    slot.close();
    expect([...written]).toEqual([ID]);
    await expect(slot.stop()).rejects.toMatchObject({ code: 'recording-not-active' });
    expect([...written]).toEqual([]);
    expect(ends).toEqual([{ recordingId: ID }]);
    expect(finished().events).toEqual([]);
  });

  it('that no client stops ends with the exit of its program, not with the terminal', async () => {
    const begin = Date.now() - 600_000;
    start(0, ALL, new Date(begin).toISOString());
    slot.exited(begin + 5_000);
    slot.close();
    await expect(slot.stop()).rejects.toThrow();
    expect(finished().end_time).toBe(new Date(begin + 5_000).toISOString());
  });
});
