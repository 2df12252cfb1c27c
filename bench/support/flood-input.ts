import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const LINES = 1_600_000;
const LINES_AT_ONCE = 10_000;

/** A file for `cat` to flood a terminal with. */
export interface Flood {
  name: string;
  file: string;
  /** Bytes of terminal output: each LF becomes CR LF. */
  bytes: number;
}

/** Writes a file of plain text, about 110 MB of terminal output at `scale` 1. */
export function plain(folder: string, scale: number): Flood {
  const line = 'The quick brown fox jumps over the lazy dog, 0123456789 times';
  return write('plain', folder, scale, (index) => `${line} ${index}\n`);
}

/** Writes a file of coloured build output, about 136 MB of terminal output at `scale` 1. */
export function coloured(folder: string, scale: number): Flood {
  const line =
    '\x1b[32mok\x1b[0m src/\x1b[1;34mmodule\x1b[22;39m/file.ts \x1b[38;5;208mcompiled\x1b[m in 12 ms';
  return write('coloured', folder, scale, (index) => `${line} ${index}\n`);
}

function write(name: string, folder: string, scale: number, line: (index: number) => string): Flood {
  const lines = Math.round(LINES * scale);
  const file = join(folder, `${name}-${lines}`);
  const target = openSync(file, 'w');
  let bytes = 0;
  for (let index = 0; index < lines; ) {
    let text = '';
    for (const end = Math.min(lines, index + LINES_AT_ONCE); index < end; index++) text += line(index);
    bytes += writeSync(target, text);
  }
  closeSync(target);
  return { name, file, bytes: bytes + lines };
}
