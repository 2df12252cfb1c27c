import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KiB } from '../../contract/limits/units.js';
import type { Memory } from './decide.js';

const AVAILABLE = /^MemAvailable:\s+(\d+) kB$/m;
const PRESSURE = /^some avg10=(\d+(?:\.\d+)?) /m;

/** The memory of a Linux machine, by files that the kernel keeps in memory: a read takes some 10 us. */
export class MemoryFiles {
  readonly #folder: string;

  /** @param folder - where `meminfo` and `pressure/memory` are */
  constructor(folder = '/proc') {
    this.#folder = folder;
  }

  /** Returns what the files say: null where a file is missing, is turned off, or has another form. */
  read(): Memory {
    const kilobytes = this.#number('meminfo', AVAILABLE);
    return {
      availableBytes: kilobytes === null ? null : kilobytes * KiB,
      pressure: this.#number('pressure/memory', PRESSURE),
    };
  }

  #number(name: string, form: RegExp): number | null {
    const [, digits] = form.exec(this.#text(name)) ?? [];
    return digits === undefined ? null : Number(digits);
  }

  /** A kernel without the file, or that refuses to be read (PSI can be turned off), leaves the figure unknown. */
  #text(name: string): string {
    try {
      return readFileSync(join(this.#folder, name), 'utf8');
    } catch {
      return '';
    }
  }
}
