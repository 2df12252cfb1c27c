import type { Logger } from 'pino';
import { DISK_CHECK_MS, DISK_RESUME_FACTOR } from '../contract/limits.js';
import { type Disk, diskOf, isFullForRecordings, spareOf } from '../store/disk.js';

export interface DiskWatchOptions {
  /** A folder on the watched volume. */
  folder: string;
  logger: Pick<Logger, 'warn' | 'info'>;
  /** Asks the system for the space of a folder's volume; tests pass another function. */
  ask?: (folder: string) => Promise<Disk>;
}

/** Watches the free space of the volume that the data folder is on. */
export class DiskWatch {
  readonly #options: DiskWatchOptions;
  #disk: Disk | undefined;
  #isLow = false;
  /** The last look failed; the free space is unknown until a look succeeds. */
  #isUnknown = false;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #changed: () => void = () => undefined;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
  }

  /** Whether free space is below the reserve that text for the search index leaves to others. */
  get isLow(): boolean {
    return this.#isLow;
  }

  /** Whether too little is free for recordings to continue. */
  get isFull(): boolean {
    return this.#disk !== undefined && isFullForRecordings(this.#disk);
  }

  /** Free bytes; undefined where the system does not report them. */
  get freeBytes(): number | undefined {
    return this.#disk?.free;
  }

  /** Sets the listener that is called whenever {@link isLow} has changed. */
  onChanged(listener: () => void): void {
    this.#changed = listener;
  }

  /** Looks at once, and then every DISK_CHECK_MS milliseconds. Resolves after the first look. */
  async start(): Promise<void> {
    await this.#look();
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.start(), DISK_CHECK_MS).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { folder, logger, ask = diskOf } = this.#options;
    try {
      this.#disk = await ask(folder);
      this.#isUnknown = false;
    } catch (err) {
      if (!this.#isUnknown) logger.warn({ err }, 'the free space of the disk cannot be determined');
      this.#disk = undefined;
      this.#isUnknown = true;
    }
    this.#decide();
  }

  #decide(): void {
    const isLow = this.#disk !== undefined && isDiskLow(this.#disk, this.#isLow);
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    const { logger } = this.#options;
    const free = { freeBytes: this.freeBytes };
    if (isLow)
      logger.warn(free, 'the disk is nearly full: the search index takes in nothing until there is room');
    else logger.info(free, 'the disk has room again: the search index continues');
    this.#changed();
  }
}

/** Returns whether a disk is low. A low disk stays so until DISK_RESUME_FACTOR times the reserve is free. */
function isDiskLow(disk: Disk, wasLow: boolean): boolean {
  return disk.free < spareOf(disk) * (wasLow ? DISK_RESUME_FACTOR : 1);
}
