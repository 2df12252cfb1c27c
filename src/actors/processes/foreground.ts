import { FOREGROUND_LOOK_MS, FOREGROUND_REST_SHARE } from '../../contract/limits.js';
import { abortable } from '../abortable.js';
import type { ProcessInfo, ProcessTable, Snapshot } from './process-table.js';

export interface ForegroundOptions {
  table: Pick<ProcessTable, 'snapshot' | 'details' | 'wakings' | 'areThreadsAsleep'>;
  /** Whether this platform's table reports which processes are in the foreground of a terminal. */
  isTold: boolean;
}

/**
 * Holder of the foreground of a terminal: its own program, with its command line, or others that the program waits for,
 * all of them asleep or not.
 */
type Holder = { who: 'own'; argv: string[] } | { who: 'others'; areAsleep: boolean } | { who: 'unknown' };

export interface RestOptions {
  /**
   * Whether the program must also have nothing in the background, and must sleep all the time between two looks. A
   * shell that starts one program after another is alone at moments, and uses too little CPU time for that to show.
   */
  isAlone?: boolean;
}

interface Asking extends RestOptions {
  pid: number;
  /**
   * As of the last look, if the program was alone in the foreground: the seconds of CPU time that it had used, or with
   * {@link RestOptions.isAlone} how often it had been woken.
   */
  used: number | undefined;
  resolve: (answer: 'rests' | 'unknown') => void;
  reject: (reason: unknown) => void;
}

/** Detects whether a terminal's own program is in the foreground, by one look at the process table for all callers. */
export class Foreground {
  readonly #options: ForegroundOptions;
  readonly #asking = new Set<Asking>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #nextLookAt = 0;

  constructor(options: ForegroundOptions) {
    this.#options = options;
  }

  /** Resolves with the holder of the foreground at this moment; `unknown` where nothing reports it. */
  async holder(shellPid: number): Promise<Holder> {
    if (!this.#options.isTold) return { who: 'unknown' };
    const snapshot = await this.#options.table.snapshot();
    // A program that was started this moment may not have its terminal yet.
    const terminal = snapshot.terminal(shellPid);
    if (!terminal) return { who: 'unknown' };
    if (!inForeground(snapshot, { pid: shellPid }))
      return { who: 'others', areAsleep: terminal.foreground.every(({ isAsleep }) => isAsleep) };
    const details = await this.#options.table.details([shellPid]);
    return { who: 'own', argv: details.get(shellPid)?.argv ?? [] };
  }

  /**
   * Resolves with `rests` once the program is alone in the foreground, asleep with all its threads, and has used no CPU
   * time between two looks; with `unknown` where the platform does not report the foreground. Rejects with the signal's reason.
   */
  rests(shellPid: number, signal: AbortSignal, { isAlone }: RestOptions = {}): Promise<'rests' | 'unknown'> {
    if (!this.#options.isTold) return Promise.resolve('unknown');
    return abortable(signal, (resolve, reject) => {
      const asking: Asking = { pid: shellPid, isAlone, used: undefined, resolve, reject };
      this.#asking.add(asking);
      this.#schedule();
      return () => {
        this.#asking.delete(asking);
        if (this.#asking.size > 0) return;
        clearTimeout(this.#timer);
        this.#timer = undefined;
      };
    });
  }

  #schedule(): void {
    if (this.#asking.size === 0 || this.#timer || this.#isLooking) return;
    const wait = Math.max(0, this.#nextLookAt - performance.now());
    this.#timer = setTimeout(() => void this.#look(), wait);
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    this.#isLooking = true;
    const asking = [...this.#asking];
    const begin = performance.now();
    try {
      const snapshot = await this.#options.table.snapshot();
      for (const each of asking) if (this.#asking.has(each)) look(each, snapshot, this.#options.table);
    } catch (error) {
      for (const each of asking) each.reject(error);
    } finally {
      this.#isLooking = false;
    }
    const now = performance.now();
    this.#nextLookAt = now + Math.max(FOREGROUND_LOOK_MS, FOREGROUND_REST_SHARE * (now - begin));
    this.#schedule();
  }
}

function look(asking: Asking, snapshot: Snapshot, table: ForegroundOptions['table']): void {
  const own = inForeground(snapshot, asking);
  const used = own && (asking.isAlone ? table.wakings(own.pid) : secondsOf(own));
  // A main thread that waits for another thread of its program, such as the garbage collector, is asleep as well. On a
  // busy machine the other thread may not run for a while, so the CPU time does not grow either.
  const isQuiet = own?.isAsleep && used !== undefined && used === asking.used;
  if (isQuiet && table.areThreadsAsleep(own.pid) !== false) asking.resolve('rests');
  asking.used = used ?? undefined;
}

function secondsOf({ cpu }: ProcessInfo): number | undefined {
  return cpu.kind === 'seconds' ? cpu.own : undefined;
}

/**
 * Returns the terminal's own program if it does not have to wait for another process in the foreground (with `isAlone`:
 * for any other process of the terminal); else undefined.
 */
function inForeground(
  snapshot: Snapshot,
  { pid, isAlone = false }: RestOptions & { pid: number },
): ProcessInfo | undefined {
  const terminal = snapshot.terminal(pid);
  const [first, ...others] = (isAlone ? terminal?.all : terminal?.foreground) ?? [];
  const isFree = others.length === 0 || (!isAlone && terminal?.awaitsInput === true);
  return first?.pid === pid && isFree ? first : undefined;
}
