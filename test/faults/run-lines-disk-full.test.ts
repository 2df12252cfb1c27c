import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunLines } from '#dist/actors/runs/run-lines.js';
import { NO_SMALL_DISK, type SmallDisk, smallDisk } from '../support/small-disk.js';

describe.skipIf(NO_SMALL_DISK)('the line of a run, on a full disk,', () => {
  let disk: SmallDisk;
  beforeEach(() => {
    disk = smallDisk(1)!;
  });
  afterEach(() => disk.remove());

  it('says that the disk is full, and is written once there is room', async () => {
    const lines = new RunLines((id) => join(disk.path, id));
    await lines.write('one', 'run-1', 'true');
    disk.fill();
    await expect(lines.write('one', 'run-2', 'false')).rejects.toMatchObject({ code: 'storage-full' });
    expect(readFileSync(join(disk.path, 'one', 'line'), 'utf8')).toBe('run-1\ntrue');
    disk.makeRoom();
    await lines.write('one', 'run-3', 'false');
    expect(readFileSync(join(disk.path, 'one', 'line'), 'utf8')).toBe('run-3\nfalse');
  });
});
