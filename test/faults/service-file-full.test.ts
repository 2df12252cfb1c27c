import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/processes.js';
import { connectTo } from '../support/sdk.js';
import { startService } from '../support/service.js';
import { NO_SMALL_DISK, smallDisk } from '../support/small-disk.js';

const DISK_MIB = 24;

test.skipIf(NO_SMALL_DISK)(
  'a service on a full disk is found by its socket, and writes its file later',
  async () => {
    const disk = smallDisk(DISK_MIB)!;
    onTestFinished(() => disk.remove());
    const first = await startService({ home: disk.path });
    await first.kill('SIGUSR2');
    disk.fill();
    const second = await startService({ home: disk.path });
    onTestFinished(async () => void (await second.kill('SIGTERM')));
    const file = join(disk.path, 'data/run/service.json');
    expect(existsSync(file)).toBe(false);
    const client = connectTo({ env: { AUTO_TERMINAL_HOME: disk.path } });
    const { instanceId } = await client.health();
    disk.makeRoom();
    await eventually('the file is there', () => existsSync(file));
    expect((await client.health()).instanceId).toBe(instanceId);
  },
);
