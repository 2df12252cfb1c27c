import { readdirSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FORMATS } from '#dist/config/state-formats.js';
import { VERSION } from '#dist/contract/version.js';
import { createApi } from '../support/http.js';
import { answersOf, NEEDLE, recordsOf, unpack } from '../support/kept-state.js';
import { makeState } from '../support/make-state.js';
import { startService } from '../support/service.js';

const KEPT = new URL('../fixtures/state/', import.meta.url).pathname;

/** `npm run state` keeps a state of this build under this name; the states of earlier builds are never written anew. */
const toMake = process.env.AUTO_TERMINAL_KEEP_STATE;
if (toMake !== undefined) await makeState(join(KEPT, toMake));

const names = readdirSync(KEPT);

test('the state of each format of the folder is kept', () => {
  const wanted = Array.from({ length: FORMATS.folder }, (_, index) => String(index + 1));
  expect(names).toEqual(expect.arrayContaining(wanted));
});

describe.each(names)('the kept state %s', (name) => {
  const archive = join(KEPT, name, 'state.tar.gz');
  const expected = JSON.parse(readFileSync(join(KEPT, name, 'expected.json'), 'utf8'));

  test('has records that this build reads', async () => {
    const home = await unpack(archive);
    try {
      const { lines, records } = await recordsOf(home);
      expect(lines).toEqual([]);
      // A later build may have added to a record.
      expect(records).toMatchObject(expected.records);
    } finally {
      await rm(home, { recursive: true });
    }
    const { layout, runs, operations, commands, events } = expected.records;
    expect(layout.current.tabs).toHaveLength(2);
    for (const kept of [runs, operations, commands]) expect(Object.keys(kept).length).toBeGreaterThan(1);
    expect(events.events.length).toBeGreaterThan(5);
  });

  test('is served by this build, with everything that lasts', async () => {
    const service = await startService({ home: await unpack(archive) });
    try {
      const { exports, ...answers } = await answersOf(createApi(service.url));
      expect(exports).toEqual(expected.answers.exports);
      expect({ ...answers, exports }).toMatchObject(expected.answers);
      expect(answers.search.map(({ document }) => document.content).join('\n')).toContain(`${NEEDLE} é漢🙂`);
      expect(answers.recordings).toHaveLength(2);
      const formats = JSON.parse(await readFile(join(service.home, 'data', 'formats.json'), 'utf8'));
      expect(formats).toEqual({ release: VERSION, formats: FORMATS });
      // The service would log at least a warning if it had set aside, cut off or begun anew anything.
      const levels = service
        .log()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).level);
      expect(levels.filter((level) => level >= 40)).toEqual([]);
    } finally {
      await service.stop();
    }
  });
});
