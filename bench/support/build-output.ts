import { LogText } from './log-text.js';

/** Approximate columns of a line. */
const COLUMNS = 70;

const LABELS = [
  '\x1b[32m[ok]\x1b[0m',
  '\x1b[33mwarn\x1b[39m',
  '\x1b[1;34minfo\x1b[0m',
  '\x1b[38;5;208mcc\x1b[m',
];

/** Returns coloured build output: different lines of about 70 columns, and the same text for the same seed. */
export function buildOutput(seed: number, lines: number): string {
  const texts = new LogText(seed).lines(lines * COLUMNS * 2).split('\n');
  return Array.from({ length: lines }, (_, index) => {
    const text = `${texts[2 * index]} ${texts[2 * index + 1]}`;
    const count = `${index + 1}/${lines} `;
    return `${LABELS[index % LABELS.length]} ${count}${[...text].slice(0, COLUMNS - count.length - 5).join('')}\n`;
  }).join('');
}
