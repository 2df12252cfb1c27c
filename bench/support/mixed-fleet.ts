import { programOnPath } from '../../test/support/program-on-path.js';
import type { Cleanup } from './cleanup.js';
import { createTerminals } from './create-terminals.js';
import { Redraws } from './redraw.js';
import { tempFolder } from './temp-folder.js';

/** Terminals on a wall of tiles: shells at rest, agents that redraw, logs, and programs that print 1 MB/s. */
const IDLE = 60;
const AGENTS = 30;
const LOGS = 5;
const FLOODS = 5;
const REDRAWS_PER_S = 10;
const SIZE = { cols: 120, rows: 40 };

/** Creates 100 terminals as on a wall of tiles, or the share `scale` of them. Resolves with their ids. */
export async function createMixedFleet(cleanup: Cleanup, url: string, scale: number): Promise<string[]> {
  const perl = programOnPath('perl');
  const redraws = new Redraws(tempFolder(cleanup), REDRAWS_PER_S);
  const paced = (text: string, seconds: number) => [
    ...[perl, '-e'],
    `$| = 1; my $n = 0; while (1) { ${text}; $n++; select(undef, undef, undef, ${seconds}) }`,
  ];
  const log = paced(
    'printf "\\e[3%dmlog line %d of a program that says what it does\\e[m\\n", $n % 8, $n',
    0.05,
  );
  const flood = paced('print "a line of a flood that nobody reads to its end\\n" x 1000', 0.05);
  const kinds = [
    ...Array(IDLE).fill(['sh', '-c', 'printf "\\$ "; exec cat']),
    ...Array(AGENTS).fill(redraws.command),
    ...Array(LOGS).fill(log),
    ...Array(FLOODS).fill(flood),
  ] as string[][];
  const count = Math.max(4, Math.round(kinds.length * scale));
  const step = kinds.length / count;
  const { ids } = await createTerminals(url, count, (index) => ({
    command: kinds[Math.floor(index * step)]!,
    ...SIZE,
  }));
  return ids;
}
