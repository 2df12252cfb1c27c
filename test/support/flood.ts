import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { Api } from './http.js';

/**
 * For each line of input, prints that many mebibytes of numbered lines without a pause, and then a line that ends the
 * flood.
 */
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

/** Makes a terminal that runs {@link FLOOD} print; `ended` resolves once the terminal has received everything. */
export async function flood(api: Api, id: string, mebibytes: number): Promise<{ ended: Promise<void> }> {
  const typed = { prompt: String(mebibytes), cliType: 'default', useBracketedPaste: false };
  const { body } = await api.post<{ cursor: string }>(`/api/terminals/${id}/execute`, typed);
  const ended = api.post(`/api/terminals/${id}/wait`, {
    ...{ until: 'text', text: 'and no more', since: body.cursor, timeoutMs: 250_000, maxBytes: 0 },
  });
  return {
    ended: ended.then((answer) => expect(answer).toMatchObject({ status: 200, body: { done: true } })),
  };
}

/** Resolves with the resident memory of a process, in bytes. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
