import { newMarkState, takeMark } from '#dist/workers/shard/stages/command-levels.js';
import type { CommandMark, MarkState } from '#dist/workers/shard/stages/command-plan.js';
import type { Mark } from '#dist/workers/shard/stages/mark.js';

/** Bytes from one mark to the next. */
const STEP = 100;

type Told =
  | { kind: 'promptStart' | 'promptEnd' | 'outputStart' | 'continuation' | 'lineEditor' | 'draftBack' }
  | { kind: 'runTaken'; token: string; status: number | null; hasDraft: boolean }
  | { kind: 'outputEnd'; exitCode: number | null };

export interface TellingOptions {
  /** State at which the terminal's shard ended. */
  state?: MarkState;
  /** Milliseconds on both clocks before the first mark; each mark adds 10 ms. */
  now?: number;
}

/** The marks that the shells of one terminal report, as the shard posts them. */
export class Telling {
  #state: MarkState;
  #position: number;
  #now: number;

  constructor({ state, now = 1_000 }: TellingOptions = {}) {
    this.#state = state ?? newMarkState();
    this.#position = this.#state.position;
    this.#now = now;
  }

  prompt(pid = 7): CommandMark[] {
    return [...this.#tell(pid, { kind: 'promptStart' }), ...this.#tell(pid, { kind: 'promptEnd' })];
  }

  begin(commandLine: string, pid = 7): CommandMark[] {
    return this.#tell(pid, { kind: 'outputStart' }, commandLine);
  }

  end(exitCode: number | null, pid = 7): CommandMark[] {
    return this.#tell(pid, { kind: 'outputEnd', exitCode });
  }

  /** The shell's line editor takes the line of a run. */
  takeRun(runId: string, { hasDraft = false, status = 0 } = {}, pid = 7): CommandMark[] {
    return this.#tell(pid, { kind: 'runTaken', token: runId, status, hasDraft });
  }

  /** The shell asks for the rest of a command, answers a probe, or puts a draft back into its line. */
  line(kind: 'continuation' | 'lineEditor' | 'draftBack', pid = 7): CommandMark[] {
    return this.#tell(pid, { kind });
  }

  /** Returns the marks of a prompt, a command and its end. */
  run(commandLine: string, exitCode: number | null = 0, pid = 7): CommandMark[] {
    return [...this.prompt(pid), ...this.begin(commandLine, pid), ...this.end(exitCode, pid)];
  }

  /** Returns the marks of a command in a shell that is not integrated, which are reported by a token. */
  runByToken(token: string, exitCode: number): CommandMark[] {
    return [
      ...this.#tell(0, { kind: 'outputStart' }, '', token),
      ...this.#tell(0, { kind: 'outputEnd', exitCode }, '', token),
    ];
  }

  #tell(pid: number, told: Told, commandLine = '', key = 'nonce'): CommandMark[] {
    const begin = this.#position;
    this.#position += STEP;
    this.#now += 10;
    const mark: Mark = { key, pid, begin, end: begin + 10, ...told };
    const { state, events } = takeMark(this.#state, mark, `after-${mark.end}`);
    this.#state = state;
    const time = { at: this.#now, hrMs: this.#now, state };
    return events.map((event): CommandMark => {
      if (event.kind === 'prompt') return { ...time, ...event, cwd: '/', cursor: `after-${mark.end}` };
      if (event.kind === 'finished') return { ...time, ...event, cursor: `before-${begin}` };
      if (event.kind === 'started')
        return { ...time, ...event, commandLine, cwd: '/home', cursor: `after-${mark.end}` };
      if (event.kind === 'taken' || event.kind === 'over')
        return { ...time, ...event, cursor: `after-${mark.end}` };
      return { ...time, ...event };
    });
  }
}
