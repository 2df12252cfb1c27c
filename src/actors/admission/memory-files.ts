import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KiB } from '../../contract/limits/units.js';
import type { Memory } from './decide.js';

const AVAILABLE = /^MemAvailable:\s+(\d+) kB$/m;
const PRESSURE = /^some avg10=(\d+(?:\.\d+)?) /m;

/** Memory of a Linux machine, read from files that the kernel keeps in memory: a read takes some 10 us. */
export class MemoryFiles {
  readonly #folder: string;

  /** @param folder - where `meminfo` and `pressure/memory` are */
  constructor(folder = '/proc') {
    this.#folder = folder;
  }

  /** Returns the figures of the files; null where a file is missing, is turned off, or has another form. */
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

  /** Returns the text of a file; empty if the kernel lacks the file or refuses to read it (PSI can be turned off). */
  #text(name: string): string {
    try {
      return readFileSync(join(this.#folder, name), 'utf8');
    } catch {
      return '';
    }
  }
}
