import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath } from '../../test/support/program-on-path.js';

/** Size of the terminals that the program runs in. */
export const REDRAW_SIZE = { cols: 100, rows: 30 };

/**
 * Redraws six rows argv[0] times a second, as a coding agent does while it works: moves up, clears each row and draws
 * it with colours, in one write. Skips redraws that it is late for. Writes the number of its redraws, and the time,
 * into a file of the folder argv[1] once a second, since an overloaded server cannot return the screen.
 */
const PROGRAM = String.raw`
use strict;
use Time::HiRes qw(time);
my ($rate, $folder) = @ARGV;
my $pause = 1 / $rate;
my @spinner = ('⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏');
my $line = '─' x 60;
open my $report, '>', "$folder/$$" or die $!;
my $begin = time;
my $reported = 0;
syswrite STDOUT, "\e[?25l" . "\r\n" x 6;
my $next = $begin + rand $pause;
for (my $count = 1; ; $count++) {
  my $now = time;
  select undef, undef, undef, $next - $now if $next > $now;
  my $seconds = int($next - $begin);
  my $done = $count % 40;
  syswrite STDOUT, "\e[6A\r"
    . "\e[2K\e[38;5;174m$spinner[$count % 10] Pondering…\e[39m \e[2m(" . $seconds . "s · esc to interrupt)\e[22m\r\n"
    . "\e[2K  \e[90m⎿\e[39m \e[1mRead\e[22m src/module.ts, redraw $count of $$.\r\n"
    . "\e[2K    \e[32m" . '█' x $done . "\e[90m" . '░' x (40 - $done) . "\e[39m\r\n"
    . "\e[2K\e[38;2;136;136;136m$line\e[39m\r\n"
    . "\e[2K\e[1m❯\e[22m \e[7m \e[27m\r\n"
    . "\e[2K\e[38;2;136;136;136m$line\e[39m\r\n";
  $now = time;
  if ($now - $reported >= 1) {
    sysseek $report, 0, 0;
    syswrite $report, sprintf "%12d %20.6f\n", $count, $now;
    $reported = $now;
  }
  $next += $pause;
  $next = $now if $next < $now;
}
`;

/** Programs that redraw, all with one command line. */
export class Redraws {
  readonly command: string[];
  readonly #reports: string;

  /** Writes the program into the folder. Throws without perl. */
  constructor(folder: string, perSecond: number) {
    const perl = findOnPath('perl');
    // A shell would start a process for each pause, and Node takes too much memory for hundreds of programs.
    if (!perl) throw new Error('this case runs hundreds of small programs in perl, which is not on PATH');
    const program = join(folder, 'redraw.pl');
    writeFileSync(program, PROGRAM);
    this.#reports = mkdtempSync(join(folder, 'redraws-'));
    this.command = [perl, program, String(perSecond), this.#reports];
  }

  /** Returns the last reports, at most a second old, by program: the number of its redraws, and seconds of a clock. */
  read(): Map<string, { count: number; at: number }> {
    const reports = readdirSync(this.#reports).map((name) => {
      const [count = 0, at = 0] = readFileSync(join(this.#reports, name), 'utf8')
        .trim()
        .split(/\s+/)
        .map(Number);
      return [name, { count, at }] as const;
    });
    return new Map(reports.filter(([, { count }]) => count > 0));
  }

  /**
   * Returns the average number of redraws a second of a program since an earlier reading. NaN if no program has
   * redrawn: then all programs hang.
   */
  rateSince(before: ReturnType<Redraws['read']>): number {
    let [redraws, seconds] = [0, 0];
    for (const [name, { count, at }] of this.read()) {
      const earlier = before.get(name);
      if (!earlier) continue;
      redraws += count - earlier.count;
      seconds += at - earlier.at;
    }
    return redraws / seconds;
  }
}

/** Returns the last redraw that a screen's text shows, and its program's name in the reports; undefined without one. */
export function redrawOn(screen: string): { name: string; count: number } | undefined {
  const [, count, name] = /redraw (\d+) of (\d+)\./.exec(screen) ?? [];
  return name === undefined ? undefined : { name, count: Number(count) };
}
