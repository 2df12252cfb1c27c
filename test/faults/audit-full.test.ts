import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createApi } from '../support/http.js';
import { startService } from '../support/service.js';
import { NO_SMALL_DISK, smallDisk } from '../support/small-disk.js';

test.skipIf(NO_SMALL_DISK)('a service whose audit log cannot be closed stops as any other', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const disk = smallDisk(1)!;
  onTestFinished(() => disk.remove());
  const folder = join(service.home, 'data/audit');
  mkdirSync(folder);
  execFileSync('mount', ['--bind', disk.path, folder]);
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  const api = createApi(service.url);
  expect((await api.patch('/api/settings', { audit: { enabled: true } })).status).toBe(200);
  // Lines until none has room: the last that is tried is shorter than the line that closes the log.
  disk.fill();
  for (let left = 200; left > 0; left--) await api.patch('/api/settings', { wrong: 1 });
  expect(await service.kill('SIGTERM')).toBe(0);
  expect(service.log()).toContain('the audit log cannot be written');
});
