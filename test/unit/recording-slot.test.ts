import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
