const UNITS: ReadonlyArray<[ms: number, name: string]> = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
];

/** Returns a span of time in its largest unit: `4m`. */
export function shortSpan(ms: number): string {
  for (const [unit, name] of UNITS) if (ms >= unit) return `${Math.floor(ms / unit)}${name}`;
  return '0s';
}

/** Returns the duration of a command in words: `0.4s`, `12.4s`, `3m 20s`. */
export function durationOf(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`;
}

const MAX_LABEL_CHARS = 80;
// Control characters, and characters that change the direction of text.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** Returns text of a program or of another client as a single short line, which cannot pass for other text of the page. */
export function plainLabel(text: string): string {
  const plain = text.replace(UNSAFE, '');
  if (plain.length <= MAX_LABEL_CHARS) return plain;
  // Not cut within a character.
  return `${plain.slice(0, MAX_LABEL_CHARS - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** End of a program. */
interface End {
  exitCode?: number | null | undefined;
  signal?: string | null | undefined;
  oomKilled?: boolean | undefined;
}

/** Returns how a program has ended, in a few words. */
export function exitWords({ exitCode, signal, oomKilled }: End): string {
  const end = signal ? `ended by ${signal}` : `exit ${exitCode ?? 'unknown'}`;
  return oomKilled ? `${end}: out of memory` : end;
}
