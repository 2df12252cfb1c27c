import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MEMORY_RELEASE_MS } from '../contract/limits.js';

/** Less than this is not worth the time of a collection: 10 to 50 ms. */
const MIN_BYTES = 16 * 1024 * 1024;

/** What was collected is handed to the C library by a thread of V8's, within some 100 ms. */
const SWEEP_MS = 1_000;

/**
 * Gives freed memory back to the system. V8 collects when something is allocated, which a quiet process does not do,
 * and the C library keeps what was freed: without this, 300 screens of 1,000 lines leave 550 MB behind.
 */
export class MemoryRelease {
  /** While a lot is allocated anyway, V8 collects by itself, and nobody should wait for this. */
  readonly #isBusy: () => boolean;
  readonly #collect = garbageCollector();
  readonly #trim = memoryTrimmer();
  #freed = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
  }

  /** So many bytes are not referred to any more. */
  freed(bytes: number): void {
    this.#freed += bytes;
    if (this.#freed >= MIN_BYTES) this.#wait();
  }

  #wait(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#isBusy()) this.#wait();
      else this.#release();
    }, MEMORY_RELEASE_MS).unref();
  }

  #release(): void {
    this.#freed = 0;
    this.#collect();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#trim?.();
      if (this.#freed >= MIN_BYTES) this.#wait();
    }, SWEEP_MS).unref();
  }
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** `malloc_trim` of glibc; undefined with other C libraries, which give memory back by themselves. */
function memoryTrimmer(): (() => void) | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    const trim = koffi.load(null).func('int malloc_trim(size_t pad)');
    return () => trim(0);
  } catch {
    // Musl has none.
    return undefined;
  }
}
