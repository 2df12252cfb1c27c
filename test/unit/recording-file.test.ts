import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeEvent, RecordingFile } from '../../src/store/recording-file.js';
import { decodeHead, encodeHead, type RecordingHead } from '../../src/store/recording-head.js';
import { finishRecording } from '../../src/workers/jobs/finish-recording.js';

const ID = '00000000-0000-4000-8000-000000000000';
const HEAD: RecordingHead = {
  ...{ version: 1, id: ID, terminal_id: 'term_x', start_time: '2026-01-02T03:04:05.678Z', end_time: null },
  metadata: { title: null, shell_type: 'a "events":[ shell \u0001 漢', initial_size: { cols: 80, rows: 24 } },
  ...{ size: 0, compressed: true, event_count: 0 },
  options: {
    ...{ include_output: true, include_input: true, include_resize: true },
    ...{ compression: 'gzip', auto_stop: false },
  },
};
const BEGIN = { position: 5, pending: 'e282', timestamp: 0, cols: 80, rows: 24 };

let folder: string;
let running: string;
let finished: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'at-recording-'));
  running = join(folder, `${ID}.recording`);
  finished = join(folder, `${ID}.json`);
});
afterEach(() => rmSync(folder, { recursive: true }));

const text = (data: string, isFirst = false, timestamp = 7) =>
  encodeEvent({ event_type: 'output', data, timestamp }, isFirst);

/** A recording of three events, as a killed service leaves it. */
function left(): Buffer {
  const file = RecordingFile.create(running, HEAD, BEGIN);
  file.append(text('one', true), 1, 3, { ...BEGIN, position: 8 });
  file.append(text('two') + text('drei!', false, 90), 2, 8, { ...BEGIN, position: 16 });
  return readFileSync(running);
}

const result = () =>
  JSON.parse(readFileSync(finished, 'utf8')) as RecordingHead & { events: Array<{ data: string }> };

describe('the head of a recording', () => {
  it('has one width, whatever it holds', () => {
    const first = encodeHead({ ...HEAD, journal: { ...BEGIN, length: 0 } });
    const last = {
      ...HEAD,
      size: 2 ** 53 - 1,
      event_count: 2 ** 53 - 1,
      end_time: '2026-01-02T03:04:05.678Z',
    };
    const encoded = encodeHead(last, Buffer.byteLength(first));
    expect(Buffer.byteLength(encoded)).toBe(Buffer.byteLength(first));
    expect(decodeHead(Buffer.from(encoded))).toEqual({ head: last, width: Buffer.byteLength(first) });
    expect(JSON.parse(`${encoded}]}`)).toEqual({ ...last, events: [] });
  });

  it('that is missing, or of another version, is not read', () => {
    expect(decodeHead(Buffer.from('{"id":1,"events":['))).toBeUndefined();
    expect(decodeHead(Buffer.alloc(4_096))).toBeUndefined();
    const other = encodeHead(HEAD).replace('"version":1', '"version":2');
    expect(decodeHead(Buffer.from(other))).toBeUndefined();
  });
});

describe('an abandoned recording', () => {
  it('is ended with its events, at the time of its last write', async () => {
    left();
    utimesSync(running, new Date(), new Date('2026-01-02T04:00:00.000Z'));
    await finishRecording({ file: running });
    expect(result()).toMatchObject({ event_count: 3, size: 11, end_time: '2026-01-02T04:00:00.000Z' });
    expect(result().journal).toBeUndefined();
    expect(result().events.map(({ data }) => data)).toEqual(['one', 'two', 'drei!']);
    expect(statSync(finished).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['within its last line', (all: Buffer) => all.subarray(0, -20), ['one', 'two']],
    ['within its tail', (all: Buffer) => all.subarray(0, -2), ['one', 'two', 'drei!']],
    [
      'at the end of a line',
      (all: Buffer) => all.subarray(0, all.indexOf('\n{"event_type":"output","data":"drei!"')),
      ['one', 'two'],
    ],
    ['right behind its head', (all: Buffer) => all.subarray(0, all.indexOf('\n')), []],
    [
      'by a page of zeros',
      (all: Buffer) => Buffer.concat([all.subarray(0, -30), Buffer.alloc(4_096)]),
      ['one', 'two'],
    ],
  ])('and was torn %s has the rest', async (_, tear, events) => {
    writeFileSync(running, tear(left()));
    await finishRecording({ file: running });
    expect(result().events.map(({ data }) => data)).toEqual(events);
    expect(result().event_count).toBe(events.length);
    expect(result().size).toBe(events.join('').length);
  });

  it('has events that its head does not know yet', async () => {
    const all = left();
    const more = `${text('four')}\n]}\n`;
    writeFileSync(running, Buffer.concat([all.subarray(0, -4), Buffer.from(more)]));
    await finishRecording({ file: running });
    expect(result()).toMatchObject({ event_count: 4, size: 15 });
  });

  it('and was stopped, but not renamed, keeps its end', async () => {
    const file = RecordingFile.create(running, HEAD, BEGIN);
    await file.finish(new Date('2026-01-02T03:05:00.000Z'));
    writeFileSync(running, readFileSync(finished));
    expect(RecordingFile.resume(running)).toBeUndefined();
    await finishRecording({ file: running });
    expect(result().end_time).toBe('2026-01-02T03:05:00.000Z');
  });
});

it('a recording that is resumed drops events beyond its head', async () => {
  const all = left();
  writeFileSync(running, Buffer.concat([all.subarray(0, -4), Buffer.from(`${text('again')}\n]}\n`)]));
  const file = RecordingFile.resume(running)!;
  expect(file.head).toMatchObject({ event_count: 3, journal: { position: 16, pending: 'e282' } });
  file.append(text('again'), 1, 5, BEGIN);
  await file.finish(new Date());
  expect(result().events.map(({ data }) => data)).toEqual(['one', 'two', 'drei!', 'again']);
});

it('a file that is no recording is refused', () => {
  writeFileSync(running, '{"id": 5}');
  expect(() => RecordingFile.resume(running)).toThrow('does not begin with the head of a recording');
});
