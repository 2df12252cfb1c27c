import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small volume whose space a test can fill. */
export interface SmallDisk {
  path: string;
  /** Writes a file that leaves this many bytes free. */
  fill(leaving?: number): void;
  /** Removes the file that fills the volume. */
  makeRoom(): void;
  free(): number;
  remove(): void;
}

const FILLER_STEP_BYTES = 4_096;

/** Mounts a tmpfs; returns undefined if this user may not mount. */
export function smallDisk(mebibytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'at-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, 'tmpfs', path], {
      stdio: 'ignore',
    });
  } catch {
    rmdirSync(path);
    return undefined;
  }
  const filler = join(path, 'filler');
  const free = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    free,
    fill(leaving = 0) {
      const fd = openSync(filler, 'a');
      const bytes = Buffer.alloc(FILLER_STEP_BYTES, 0x2e);
      while (free() > leaving && writeSync(fd, bytes) === bytes.length);
      closeSync(fd);
    },
    makeRoom: () => rmSync(filler, { force: true }),
    remove() {
      execFileSync('umount', ['-l', path]);
      rmdirSync(path);
    },
  };
}

/** Whether tests with a small disk are skipped, because this user cannot make a small disk. */
export const NO_SMALL_DISK: boolean = (() => {
  const disk = smallDisk(1);
  disk?.remove();
  if (!disk) process.stderr.write('no tmpfs can be mounted here: tests of a full disk are left out\n');
  return !disk;
})();
