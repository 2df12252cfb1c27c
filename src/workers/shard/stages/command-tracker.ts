import { DomainError } from '../../../contract/errors.js';
import { MAX_COMMAND_LINE_CHARS } from '../../../contract/limits.js';
import { hrMs } from '../../clock.js';
import { encodeCursor, type ReadCursor } from '../reader.js';
import { printStart } from '../screen/text/print-start.js';
import { renderPrinted } from '../screen/text/printed.js';
import type { ScreenActor } from '../screen-actor.js';
import type { ScreenPlace } from '../screen-view.js';
import type { StreamPort } from '../stream-port.js';
import { newMarkState, type Step, takeExit, takeMark } from './command-levels.js';
import type { CommandMark, CommandPlan, LevelEvent, MarkState, MarkTime } from './command-plan.js';
import { withoutOtherStatus } from './given-up.js';
import { cutTo, type Mark, parseMark } from './mark.js';
import { MarkScanner } from './mark-scanner.js';
import { ShellRanges } from './shell-ranges.js';

/** Most tokens that are expected. A typed line that prints one may be interrupted, so that its token never comes. */
const MAX_TOKENS = 64;

/** Marks that describe what comes after them; other marks describe what came before. */
const CUT_AFTER: ReadonlySet<Mark['kind']> = new Set(['outputStart', 'promptEnd', 'runTaken']);

export interface CommandTrackerOptions {
  id: string;
  screenActor: Pick<ScreenActor, 'askPlace'>;
  /** Passes the output on to the screen actor. */
  next: { write(bytes: Uint8Array): void };
  port: Pick<StreamPort, 'post'>;
  /** Called when a mark could not be taken, or a command line could not be rendered. */
  fault: (error: unknown) => void;
}

/** Place where the tracker begins. `pending` are the last bytes before `position`, which are an unfinished sequence. */
export interface TrackerOrigin {
  position: number;
  pending: Uint8Array;
}

/** Place where a command line is typed. The place on the screen is unknown if another shard saw the prompt. */
type Input = Pick<ReadCursor, 'position'> & Partial<ReadCursor>;

/**
 * Follows the marks with which a terminal's shells report their commands. Output passes through on its way to the
 * screen actor and is cut at each mark, so that the screen actor can be asked for the cursor there. Each mark is posted
 * with that cursor.
 */
export class CommandTracker {
  readonly #options: CommandTrackerOptions;
  readonly #nonce: string;
  readonly #scanner: MarkScanner;
  readonly shellRanges: ShellRanges;
  /** Marks that end at or before this position were taken by another shard. */
  readonly #taken: number;
  /** State as of the last mark that the screen actor has answered. */
  #state: MarkState;
  #position: number;
  /** Questions to the screen actor whose answers are not posted yet. */
  #asked = 0;
  /** Command line that a shell has reported for its next command. */
  #told: { pid: number; commandLine: string } | undefined;
  #input: Input | undefined;
  #posted: Promise<void> = Promise.resolve();

  constructor(options: CommandTrackerOptions, { position, pending }: TrackerOrigin, plan: CommandPlan) {
    this.#options = options;
    this.#nonce = plan.nonce;
    this.#state = plan.state ?? newMarkState();
    this.#taken = this.#state.position;
    const isTold = this.#state.levels.some(({ pid }) => pid !== 0);
    this.shellRanges = new ShellRanges(position, isTold ? this.#state.atPrompt : undefined);
    if (this.#state.atPrompt) this.#input = { position: this.#state.position };
    this.#position = position;
    this.#scanner = new MarkScanner(position - pending.length);
    this.#scanner.scan(pending);
  }

  /** Resolves once all marks in output that the screen actor has taken are posted. */
  get posted(): Promise<void> {
    return this.#posted;
  }

  write(bytes: Uint8Array): void {
    let from = 0;
    for (const found of this.#scanner.scan(bytes)) {
      const mark = parseMark(found);
      if (!mark || !this.#counts(mark)) continue;
      this.shellRanges.take(mark);
      if (mark.end <= this.#taken) continue;
      const isAfter = CUT_AFTER.has(mark.kind);
      const to = Math.max(from, (isAfter ? mark.end : mark.begin) - this.#position);
      this.#pass(bytes.subarray(from, to));
      from = to;
      const time = { at: Date.now(), hrMs: hrMs() };
      void this.#ask((view) => this.#take(mark, time, view));
    }
    this.#pass(bytes.subarray(from));
    this.#position += bytes.length;
  }

  /** Also accepts the marks of one command that carry this token. */
  expect(token: string): void {
    this.#state = { ...this.#state, tokens: [...this.#state.tokens, token].slice(-MAX_TOKENS) };
  }

  /** Ends all commands with the terminal's program. Resolves once that is posted; undefined if nothing is to post. */
  exited(exitCode: number | null): Promise<void> | undefined {
    if (this.#asked === 0 && this.#state.levels.length === 0) return undefined;
    const time = { at: Date.now(), hrMs: hrMs() };
    return this.#ask((view) => {
      const end = encodeCursor(view.cursor);
      return this.#post(takeExit(this.#state, exitCode), time, { start: end, end, commandLine: '' });
    });
  }

  #pass(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#options.next.write(bytes);
  }

  #counts({ key, pid }: Mark): boolean {
    return pid === 0 ? this.#state.tokens.includes(key) : key === this.#nonce;
  }

  /** Asks the screen actor for the place. Resolves once `then` has posted its result, or the terminal is closed. */
  async #ask(then: (place: ScreenPlace) => Promise<void>): Promise<void> {
    const own = true;
    this.#asked++;
    try {
      await this.#options.screenActor.askPlace(then, own);
    } catch (error) {
      const isGone = error instanceof DomainError && error.code === 'terminal-not-found';
      if (!isGone) this.#options.fault(error);
    } finally {
      this.#asked--;
    }
  }

  #take(mark: Mark, time: MarkTime, view: ScreenPlace): Promise<void> {
    const { row, col, altScreen } = view.cursor;
    const place = { row, col, altScreen };
    const start = encodeCursor({ position: mark.end, ...place });
    const end = encodeCursor({ position: mark.begin, ...place });
    const commandLine = mark.kind === 'outputStart' ? this.#takeCommandLine(mark, view) : '';
    if (mark.kind === 'commandLine') this.#told = { pid: mark.pid, commandLine: mark.commandLine };
    else if (mark.kind === 'promptStart') this.#input = undefined;
    else if (mark.kind === 'promptEnd') this.#input = { position: mark.end, ...place };
    const known = mark.kind === 'outputEnd' ? withoutOtherStatus(mark, this.#state, view.history) : mark;
    return this.#post(takeMark(this.#state, known, start), time, { start, end, commandLine });
  }

  /** Returns the command line as the shell has reported it, else as the terminal showed it while it was typed. */
  #takeCommandLine({ pid, begin }: Mark, { history }: ScreenPlace): string | Promise<string> {
    const told = this.#told;
    const input = this.#input;
    this.#told = undefined;
    this.#input = undefined;
    if (told?.pid === pid) return told.commandLine;
    // The caller that types a token knows the command.
    if (pid === 0 || !input) return '';
    const { segments, size } = history.between(input.position, begin);
    return renderPrinted(segments, printStart(size, input)).then(
      (lines) => cutTo(lines.join('\n'), MAX_COMMAND_LINE_CHARS),
      (error: unknown) => {
        this.#options.fault(error);
        return '';
      },
    );
  }

  #post({ state, events }: Step, time: MarkTime, details: Details): Promise<void> {
    const { id, port } = this.#options;
    this.#state = state;
    const posted = Promise.all([details.commandLine, this.#posted]).then(([commandLine]) => {
      for (const event of events) {
        const mark = markOf(event, { state, ...time }, { ...details, commandLine });
        port.post({ type: 'mark', id, mark });
      }
    });
    // The question that the mark was taken in reports an error. Later marks, and the calls that wait for them, continue.
    this.#posted = posted.catch(() => undefined);
    return posted;
  }
}

/** Data that marks are posted with. */
interface Details<CommandLine = string | Promise<string>> {
  /** Cursors after the mark, and before it. */
  start: string;
  end: string;
  commandLine: CommandLine;
}

function markOf(
  event: LevelEvent,
  told: MarkTime & { state: MarkState },
  { start, end, commandLine }: Details<string>,
): CommandMark {
  const { cwd } = told.state;
  switch (event.kind) {
    case 'started':
      return { commandLine, cwd, cursor: start, ...told, ...event };
    case 'finished':
      return { cursor: end, ...told, ...event };
    case 'prompt':
      return { cwd, cursor: start, ...told, ...event };
    case 'taken':
    case 'over':
      return { cursor: start, ...told, ...event };
    case 'lineEditor':
    case 'draftBack':
    case 'continued':
      return { ...told, ...event };
  }
}
