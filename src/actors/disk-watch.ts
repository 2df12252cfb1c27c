import type { Logger } from 'pino';
import { DISK_CHECK_MS, DISK_RESUME_FACTOR } from '../contract/limits.js';
import { type Disk, diskOf, isFullForRecordings, spareOf } from '../store/disk.js';

export interface DiskWatchOptions {
  /** On the volume that is watched. */
  folder: string;
  logger: Pick<Logger, 'warn' | 'info'>;
  /** For tests: asks the system. */
  ask?: (folder: string) => Promise<Disk>;
}

/** Watches the free space of the volume that the data folder is on. */
export class DiskWatch {
  readonly #options: DiskWatchOptions;
  #disk: Disk | undefined;
  #isLow = false;
  /** The last look failed: nothing is known until one succeeds. */
  #isUnknown = false;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #changed: () => void = () => undefined;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
  }

  /** Less is free than what text for the search index leaves. */
  get isLow(): boolean {
    return this.#isLow;
  }

  /** Recordings cannot go on. */
  get isFull(): boolean {
    return this.#disk !== undefined && isFullForRecordings(this.#disk);
  }

  /** Bytes; undefined where the system does not say. */
  get freeBytes(): number | undefined {
    return this.#disk?.free;
  }

  /** `listener` is called whenever {@link isLow} has changed. */
  onChanged(listener: () => void): void {
    this.#changed = listener;
  }

  /** Looks once, and then again and again. Resolves after the first look. */
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
      if (!this.#isUnknown) logger.warn({ err }, 'free space of the disk is not known');
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
      logger.warn(free, 'the disk is nearly full: nothing is fed to the search index until there is room');
    else logger.info(free, 'there is room on the disk again');
    this.#changed();
  }
}

/** Whether a disk is low now, given whether it was before: it must have some room more to be low no longer. */
function isDiskLow(disk: Disk, wasLow: boolean): boolean {
  return disk.free < spareOf(disk) * (wasLow ? DISK_RESUME_FACTOR : 1);
}
