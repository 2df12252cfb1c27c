import { readFile } from 'node:fs/promises';

/** Prints numbered lines without a pause, as many mebibytes as each line says that it gets, and then that it has. */
export const FLOOD = [
  ...[process.execPath, '-e'],
  `let n = 0;
  process.stdin.on('data', async (line) => {
    for (let left = Number(line) * 2 ** 20; left > 0; ) {
      const text = Array.from({ length: 100 }, () => n++ + ' ' + 'flood '.repeat(12) + '\\r\\n').join('');
      left -= text.length;
      if (!process.stdout.write(text)) await new Promise((go) => process.stdout.once('drain', go));
    }
    process.stdout.write('printed up to ' + n + ' and no more\\r\\n');
  });`,
];

/** Returns the memory that a process has in use: bytes. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
