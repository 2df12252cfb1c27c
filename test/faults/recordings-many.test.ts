import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { RecordingSummary } from '#dist/contract/recording.js';
import { encodeEvent, RecordingFile } from '#dist/store/recording-file.js';
import { createApi } from '../support/http.js';
import { ALL_OPTIONS } from '../support/recordings.js';
import { type Service, startService } from '../support/service.js';

/** More recordings than the job queue holds. */
const COUNT = 300;

let service: Service;
afterEach(() => service.stop());

/** Leaves a recording with one event, as a killed service would. */
function leave(folder: string): string {
  const id = randomUUID();
  const place = { timestamp: 0, pending: '', cols: 80, rows: 24 };
  const file = RecordingFile.create(
    join(folder, `${id}.recording`),
    {
      ...{ version: 1, id, terminal_id: `term_${id}`, start_time: new Date().toISOString(), end_time: null },
      metadata: { title: null, shell_type: null, initial_size: { cols: 80, rows: 24 } },
      ...{ size: 0, compressed: true, event_count: 0, options: { ...ALL_OPTIONS, compression: 'gzip' } },
    },
    { ...place, position: 0 },
  );
  const event = { event_type: 'output', data: 'left', timestamp: 0 } as const;
  file.append(encodeEvent(event, true), 1, 4, { ...place, position: 4 });
  return id;
}

it(`${COUNT} recordings whose terminals are gone are all finished, and all are in the first answer`, async () => {
  service = await startService();
  const folder = join(service.home, 'data', 'recordings');
  await service.kill('SIGTERM');
  const ids = Array.from({ length: COUNT }, () => leave(folder));
  service = await startService({ home: service.home });
  const api = createApi(service.url);
  const [one, { recordings }] = await Promise.all([
    api.get(`/api/recordings/${ids.at(-1)}/info`),
    api.get<{ recordings: RecordingSummary[] }>('/api/recordings').then(({ body }) => body),
  ]);
  expect(one.status).toBe(200);
  expect(recordings.map(({ id }) => id).sort()).toEqual(ids.sort());
  expect(new Set(recordings.map(({ size, eventCount }) => `${size} ${eventCount}`))).toEqual(
    new Set(['4 1']),
  );
  expect((await api.get('/api/recordings/active')).body).toEqual({ activeRecordings: [], count: 0 });
  expect(service.log()).not.toContain('could not be finished');
});

it('an unreadable file stays as it is; a file that is no recording is set aside', async () => {
  service = await startService();
  const folder = join(service.home, 'data', 'recordings');
  await service.kill('SIGTERM');
  const unreadable = ['recording', 'json'].map((ending) => `${randomUUID()}.${ending}`);
  for (const name of unreadable) symlinkSync(name, join(folder, name));
  writeFileSync(join(folder, 'no-head.recording'), '{"events":[]}');
  service = await startService({ home: service.home });
  expect(readdirSync(folder).sort()).toEqual([...unreadable, 'no-head.recording.damaged'].sort());
  for (const name of unreadable) expect(lstatSync(join(folder, name)).isSymbolicLink()).toBe(true);
  expect(service.log().match(/a recording that cannot be read stays where it is/g)?.length).toBe(2);
});
