import { STEP_WORK_NS } from '../../../../contract/limits.js';
import { validUtf8 } from '../../valid-utf8.js';
import { WorkCosts } from '../work-costs.js';
import { guard } from './guards.js';
import { type FunctionId, ParserAction, type RawParams, type XtermInternals } from './internals.js';
import { trimHandlers } from './trim-handlers.js';

/** Longest text printed at once without counting its cost, unless insert mode or margins make it expensive. */
const FREE_RUN = 16 * 1024;

/** Code points above which the memory for parsed output is freed, if the terminal prints slowly. */
const RELEASED_FROM = 4 * 1024;

/** Makes every character an error in every state: the error handler gets the position and stops the parser. */
const STOP = { table: new Uint8Array(4096).fill(ParserAction.error << 4) };

/** Does a piece of its work; returns true while there is more. */
type Job = () => boolean;

/**
 * Parses in steps of a few milliseconds, whatever the output does: two bytes can renew a million cells. Each sequence
 * that does much for its length adds its cost, and when the sum passes {@link STEP_WORK_NS}, the parser stops after
 * that sequence. Scrolled, inserted and deleted rows, and text, are done in pieces if they cost more by themselves.
 * Also guards the xterm (see {@link guard}).
 *
 * xterm parses a whole write and has no public way to stop within it. Nothing else may write to this xterm.
 */
export class SteppedParser {
  readonly #core: XtermInternals;
  readonly #costs: WorkCosts;
  readonly #transitions: { readonly table: Uint8Array };
  /** Code points; each {@link begin} decodes into the same memory. */
  #memory = new Uint32Array(0);
  #rest = new Uint32Array(0);
  /** Remaining work of the sequence or text before `#rest`. */
  #job: Job | undefined;
  readonly #stepWork: number;
  #workLeft = 0;
  #stoppedAt: number | undefined;
  #isRepeating = false;

  /** @param stepWork - work of one step, in nanoseconds */
  constructor(core: XtermInternals, stepWork = STEP_WORK_NS) {
    this.#core = core;
    this.#stepWork = stepWork;
    this.#costs = new WorkCosts(core);
    this.#transitions = core._inputHandler._parser._transitions;
    // xterm calls the handler registered last first, so the guards clamp counts before their cost is computed.
    this.#countSequences();
    this.#countControls();
    guard(core);
    this.#stepPrint();
    core._inputHandler._parser.setErrorHandler((state) => {
      if (core._inputHandler._parser._transitions !== STOP) return state;
      this.#stoppedAt = state.position;
      return { ...state, abort: true };
    });
    trimHandlers(core);
  }

  /** Whether all output taken is parsed. */
  get isDone(): boolean {
    return !this.#job && this.#rest.length === 0;
  }

  /** Takes whole characters, which {@link step} parses. Throws while there is more to step. */
  begin(bytes: Uint8Array): void {
    if (!this.isDone) throw new Error('a parser was given more input before it was done');
    // xterm would drop invalid bytes, and the screen would differ from those of clients, which get U+FFFD in the stream.
    const valid = validUtf8(bytes);
    if (this.#memory.length < valid.length) this.#memory = new Uint32Array(valid.length);
    const length = this.#core._inputHandler._utf8Decoder.decode(valid, this.#memory);
    this.#rest = this.#memory.subarray(0, length);
  }

  /** Frees the memory that a large write took. */
  release(): void {
    if (this.isDone && this.#memory.length > RELEASED_FROM) this.#memory = this.#rest = new Uint32Array(0);
  }

  /** Parses all of `bytes`, however long that takes. */
  parse(bytes: Uint8Array): void {
    this.begin(bytes);
    while (this.step());
  }

  /** Parses for a few milliseconds; true while there is more. Do not call again after it has thrown. */
  step(): boolean {
    this.#workLeft = this.#stepWork;
    while (this.#workLeft > 0 && !this.isDone) {
      if (!this.#job) this.#parse();
      else if (!this.#job()) this.#job = undefined;
    }
    return !this.isDone;
  }

  #parse(): void {
    const parser = this.#core._inputHandler._parser;
    this.#stoppedAt = undefined;
    parser.parse(this.#rest, this.#rest.length);
    parser._transitions = this.#transitions;
    this.#rest = this.#rest.subarray(this.#stoppedAt ?? this.#rest.length);
  }

  #spend(work: number): void {
    this.#workLeft -= work;
    if (this.#workLeft <= 0) this.#stop();
  }

  /** Stops the parser before the next character. */
  #stop(): void {
    this.#core._inputHandler._parser._transitions = STOP;
  }

  #begin(job: Job): void {
    this.#job = job;
    this.#stop();
  }

  #countSequences(): void {
    const { _inputHandler: input } = this.#core;
    const costs = this.#costs;
    const csi = (id: FunctionId, cost: (params: RawParams) => number) =>
      input._parser.registerCsiHandler(id, (params) => {
        this.#spend(cost(params));
        return false;
      });
    const esc = (id: FunctionId, cost: () => number) =>
      input._parser.registerEscHandler(id, () => {
        this.#spend(cost());
        return false;
      });
    csi({ final: 'J' }, (params) => costs.erase(params, false));
    csi({ prefix: '?', final: 'J' }, (params) => costs.erase(params, true));
    for (const final of ['K', 'X', '@', 'P']) csi({ final }, () => costs.changeInRow);
    csi({ prefix: '?', final: 'K' }, () => costs.changeInRow);
    for (const final of ['}', '~']) csi({ intermediates: "'", final }, () => costs.changeInAllRows);
    for (const final of ['@', 'A']) csi({ intermediates: ' ', final }, () => costs.changeInAllRows);
    for (const final of ['h', 'l']) csi({ prefix: '?', final }, (params) => costs.modes(params));
    for (const final of ['I', 'Z']) csi({ final }, (params) => costs.tabSequence(params));
    csi({ final: 'b' }, (params) => {
      this.#isRepeating = input._parser.precedingJoinState !== 0;
      return costs.repeated(params);
    });
    this.#stepRows('S', (params) => input.scrollUp(params));
    this.#stepRows('T', (params) => input.scrollDown(params));
    this.#stepRows('L', (params) => input.insertLines(params));
    this.#stepRows('M', (params) => input.deleteLines(params));
    for (const final of ['D', 'E']) esc({ final }, () => costs.scroll);
    esc({ final: 'M' }, () => costs.rowReplaced);
    esc({ final: 'c' }, () => costs.reset);
    esc({ intermediates: '#', final: '8' }, () => costs.fill);
  }

  /** Does a sequence that changes many rows in pieces: several small changes give the same result as a large change. */
  #stepRows(final: string, change: (params: RawParams) => unknown): void {
    this.#core._inputHandler._parser.registerCsiHandler({ final }, ({ params, length }) => {
      const cost = this.#costs.rowReplaced;
      const most = Math.max(1, Math.floor(this.#stepWork / cost));
      let left = params[0] || 1;
      if (left <= most) {
        this.#spend(left * cost);
        return false;
      }
      this.#begin(() => {
        const count = Math.min(left, most);
        change({ params: Int32Array.of(count), length });
        left -= count;
        this.#spend(count * cost);
        return left > 0;
      });
      return true;
    });
  }

  #countControls(): void {
    const { _executeHandlers: handlers } = this.#core._inputHandler._parser;
    // LF, VT, FF, IND, NEL.
    for (const code of [0x0a, 0x0b, 0x0c, 0x84, 0x85]) {
      const execute = handlers[code]!;
      handlers[code] = () => {
        execute();
        this.#spend(this.#costs.scroll);
      };
    }
    const tab = handlers[0x09]!;
    handlers[0x09] = () => {
      const before = this.#core.buffers.active.x;
      tab();
      this.#spend(this.#costs.tabs(this.#core.buffers.active.x - before));
    };
  }

  #stepPrint(): void {
    const input = this.#core._inputHandler;
    const print = input.print;
    input.print = (data, start, end) => {
      const isRepeating = this.#isRepeating;
      this.#isRepeating = false;
      const { modes, decPrivateModes } = this.#core.coreService;
      if (end - start <= FREE_RUN && !modes.insertMode && !this.#costs.hasMargins) {
        print(data, start, end);
        return;
      }
      const cost = this.#costs.character;
      const most = Math.max(1, Math.floor(this.#stepWork / cost));
      // Without wraparound, only a row of the text is expensive, and a cut between characters shows at the right edge.
      if (end - start <= most || !decPrivateModes.wraparound) {
        print(data, start, end);
        this.#spend((end - start) * cost);
        return;
      }
      this.#begin(this.#printing(print, { data, start, end, most, cost, isRepeating }));
    };
  }

  #printing(
    print: (data: Uint32Array, start: number, end: number) => void,
    run: { data: Uint32Array; start: number; end: number; most: number; cost: number; isRepeating: boolean },
  ): Job {
    const parser = this.#core._inputHandler._parser;
    const { data, end, most, cost, isRepeating } = run;
    let at = run.start;
    let join = parser.precedingJoinState;
    return () => {
      const to = Math.min(end, at + most);
      // After a sequence, xterm forgets the character that a mark could join. Between pieces, keep that character.
      parser.precedingJoinState = join;
      print(data, at, to);
      join = parser.precedingJoinState;
      this.#spend((to - at) * cost);
      at = to;
      if (at < end) return true;
      if (isRepeating) parser.precedingJoinState = 0;
      return false;
    };
  }
}
