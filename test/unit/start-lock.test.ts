import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { StartLock } from '../../src/config/start-lock.js';
import { NO_SMALL_DISK, smallDisk } from '../support/small-disk.js';

function folder() {
  const data = mkdtempSync(join(tmpdir(), 'at-lock-'));
  const file = join(data, 'starting');
  return { lock: new StartLock(data), file, data };
}

test('is taken once, and given back by the process that has it', () => {
  const { lock, file, data } = folder();
  expect(lock.isHeld()).toBe(false);
  expect(lock.take()).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe(String(process.pid));
  expect(readdirSync(data)).toEqual(['starting']);
  lock.release();
  expect(existsSync(file)).toBe(false);
});

test('stays with another process while that runs, and is taken from one that is gone', async () => {
  const { lock, file } = folder();
  const other = spawn('sleep', ['1000']);
  onTestFinished(() => void other.kill());
  writeFileSync(file, String(other.pid));
  expect([lock.isHeld(), lock.take()]).toEqual([true, false]);
  lock.release();
  expect(readFileSync(file, 'utf8')).toBe(String(other.pid));
  other.kill();
  await once(other, 'exit');
  expect([lock.isHeld(), lock.take()]).toEqual([false, true]);
});

test('is taken from an earlier process with the same number, as in a container', () => {
  const { lock, file } = folder();
  writeFileSync(file, String(process.pid));
  expect([lock.isHeld(), lock.take()]).toEqual([false, true]);
  lock.release();
  expect(existsSync(file)).toBe(false);
});

test('is taken where a loss of power has left it without a number', () => {
  const { lock, file } = folder();
  writeFileSync(file, '');
  expect([lock.isHeld(), lock.take()]).toEqual([false, true]);
});

test.skipIf(NO_SMALL_DISK)('leaves no file behind where the disk is full', () => {
  const disk = smallDisk(1)!;
  onTestFinished(() => disk.remove());
  disk.fill();
  expect(() => new StartLock(disk.path).take()).toThrow('ENOSPC');
  expect(readdirSync(disk.path)).toEqual(['filler']);
});
