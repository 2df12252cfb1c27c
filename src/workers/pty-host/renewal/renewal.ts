import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { hrMs } from '../../clock.js';
import type { ExecLibc } from './exec-libc.js';
import { filesOf } from './kept-state.js';
import { StateFiles } from './state-files.js';
import { type KeptHost, writeState } from './write-state.js';

/** The program that is to replace this one, up to its own options. */
export interface NewProgram {
  /** Absolute path of Node. */
  file: string;
  /** Options of Node, and the path of the host's main module. */
  args: readonly string[];
}

export interface RenewalDeps {
  libc: ExecLibc;
  /** Folder on a disk, for the file of checkpoints. */
  folder: string;
  /** Returns the state to hand over, or in words why it cannot be handed over. */
  keep(): KeptHost | { missing: string };
  /** Resolves when no processes of closed terminals are being ended; `isBusy` returns whether any are. */
  idle(): Promise<void>;
  isBusy(): boolean;
  /** Descriptor of the socket on which the host listens. */
  listening(): number;
  /** Returns the options of this host at present. */
  options(): readonly string[];
  log(message: string): void;
}

/** Options of main.ts for a program that takes over; a host of another release passes them, so their names stay. */
export const STATE_OPTION = 'renew-state';
export const CHECKPOINTS_OPTION = 'renew-checkpoints';
export const CHECK_OPTION = 'check-renewal';

/** Descriptors of the files in the program that checks the state. */
const CHECKED_STATE = 3;
const CHECKED_CHECKPOINTS = 4;

const STANDARD_FILES = [0, 1, 2];

/**
 * Replaces the program of this process by another release of itself, in place: the process id, the PTYs, the children
 * and their exit codes stay. Only connections end. The new program first reads a copy of the state in a process of its
 * own, so that a program that would not start replaces nothing.
 */
export class Renewal {
  readonly #deps: RenewalDeps;
  #isUnderWay = false;

  constructor(deps: RenewalDeps) {
    this.#deps = deps;
  }

  /** Does not return if it succeeds. Otherwise the host goes on as it is; resolves with the reason, in words. */
  async renew(program: NewProgram, deadline: number): Promise<string> {
    if (this.#isUnderWay) return 'it is being renewed already';
    this.#isUnderWay = true;
    try {
      await Promise.race([
        this.#deps.idle(),
        delay(Math.max(0, deadline - hrMs()), undefined, { ref: false }),
      ]);
      const fault = await this.#check(program, deadline);
      return fault ?? this.#replace(program, deadline);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      this.#isUnderWay = false;
    }
  }

  /** Makes the new program read the present state. Resolves with the reason if it cannot. */
  async #check({ file, args }: NewProgram, deadline: number): Promise<string | null> {
    const written = this.#written();
    if ('missing' in written) return written.missing;
    const { files } = written;
    try {
      const options = [`--${STATE_OPTION}`, String(CHECKED_STATE), `--${CHECKPOINTS_OPTION}`];
      const child = spawn(
        file,
        [...args, ...this.#deps.options(), ...options, String(CHECKED_CHECKPOINTS), `--${CHECK_OPTION}`],
        { cwd: '/', stdio: ['ignore', 'ignore', 'pipe', ...files.descriptors] },
      );
      const killing = setTimeout(() => child.kill('SIGKILL'), Math.max(0, deadline - hrMs()));
      let said = '';
      child.stderr!.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      try {
        const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
        if (code === 0) return null;
        return `the new program cannot take over (${signal ?? `exit code ${code}`}): ${said.trim()}`;
      } finally {
        clearTimeout(killing);
      }
    } finally {
      files.close();
    }
  }

  /** Runs in one turn of the event loop, so that nothing is read or typed between the copy and the new program. */
  #replace({ file, args }: NewProgram, deadline: number): string {
    const { libc, options, log } = this.#deps;
    if (hrMs() > deadline) return 'it took too long';
    const written = this.#written();
    if ('missing' in written) return written.missing;
    const { files, inherited } = written;
    const [state, checkpoints] = files.descriptors;
    const handed = [...STANDARD_FILES, state, checkpoints, ...inherited];
    try {
      for (const fd of handed) libc.keepOpen(fd, true);
      log('replaces its program');
      const taking = [`--${STATE_OPTION}`, String(state), `--${CHECKPOINTS_OPTION}`, String(checkpoints)];
      return libc.exec(file, [...args, ...options(), ...taking], process.env);
    } catch (error) {
      for (const fd of handed.filter((fd) => !STANDARD_FILES.includes(fd))) libc.keepOpen(fd, false);
      files.close();
      throw error;
    }
  }

  /** Returns the files of the present state, and the descriptors that belong to it. */
  #written(): { files: StateFiles; inherited: number[] } | { missing: string } {
    const { keep, isBusy, folder, libc, listening } = this.#deps;
    if (isBusy()) return { missing: 'the processes of closed terminals have not ended yet' };
    const kept = keep();
    if ('missing' in kept) return kept;
    const files = StateFiles.create(folder, libc);
    try {
      return { files, inherited: filesOf(writeState(files, listening(), kept)) };
    } catch (error) {
      files.close();
      throw error;
    }
  }
}
