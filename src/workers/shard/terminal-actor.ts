import { DomainError } from '../../contract/errors.js';
import type { ExitStatus, InputPart, OutputPage, Snapshot } from '../../contract/terminal.js';
import type { HostConnection, RestoreState, TerminalSink } from '../pty-host/host-client.js';
import { InputQueue } from './input-queue.js';
import type { InterestTable } from './interest.js';
import { OutputStream } from './output-stream.js';
import type { ParseLoop } from './parse-loop.js';
import type { OutputQuery, StreamMessage } from './protocol.js';
import { decodeCursor, encodeCursor, page, type ReadCursor } from './reader.js';
import { renderPrinted } from './screen/printed.js';
import { ScreenKeeper, type ScreenView } from './screen-keeper.js';

/** What a shard gives the terminals that live in it. */
export interface Home {
  host: HostConnection;
  loop: ParseLoop;
  interest: InterestTable;
  post: (message: StreamMessage, transfer?: ArrayBuffer[]) => void;
  /** Lines of scrollback. */
  scrollback: number;
}

/** What exists once the pty host has said where the terminal stands. */
interface Body {
  keeper: ScreenKeeper;
  stream: OutputStream;
  input: InputQueue;
  /** Position to which the pty host replays what is known already. */
  replayEnd: number;
}

/**
 * One terminal. Its bytes go two ways: to those who watch at once, and through the keeper's mailbox to its
 * screen, together with all else that changes or questions the screen.
 */
export class TerminalActor implements TerminalSink {
  readonly #home: Home;
  readonly #id: string;
  readonly #handle: number;
  readonly #resizes: Array<{ resolve: () => void; reject: (error: Error) => void }> = [];
  readonly #restored = deferred<Body>();
  readonly #caughtUp = deferred<Body>();
  #body: Body | undefined;
  #exited = false;

  constructor(home: Home, id: string, handle: number) {
    this.#home = home;
    this.#id = id;
    this.#handle = handle;
    home.host.attach(handle, this);
  }

  /** Types the parts in order with nothing between them; throws `input-buffer-full`. */
  async type(parts: InputPart[]): Promise<void> {
    const { input } = await this.#restored.promise;
    if (this.#exited) throw new DomainError('terminal-not-found');
    input.push(parts);
  }

  /** Resolves once the PTY has the size and output before it has been told apart from output after it. */
  async resize(cols: number, rows: number): Promise<void> {
    // A replay has resizes of its own, which answer nobody.
    await this.#caughtUp.promise;
    if (this.#exited) throw new DomainError('terminal-not-found');
    await new Promise<void>((resolve, reject) => {
      this.#resizes.push({ resolve, reject });
      this.#home.host.resize(this.#handle, cols, rows);
    });
  }

  async snapshot(): Promise<Snapshot> {
    const { keeper } = await this.#caughtUp.promise;
    return keeper.ask(({ screen }) => ({
      snapshot: screen.serialize({ scrollback: false }),
      rows: screen.rows,
      cols: screen.cols,
    }));
  }

  /** The printed lines of scrollback and screen, or with `since` what was printed after that cursor. */
  async read(query: OutputQuery): Promise<OutputPage> {
    const { keeper } = await this.#caughtUp.promise;
    const { since, lines: count, offset } = query;
    if (since !== undefined) return readSince(keeper, since, { count, offset });
    return keeper.ask((view) => ({
      ...page(view.screen.lines(), { count, offset }),
      cursor: encodeCursor(cursorOf(view)),
    }));
  }

  /** Posts the screen to those who missed output; their frames continue from exactly there. */
  async resync(): Promise<void> {
    const { keeper, stream } = await this.#caughtUp.promise;
    stream.hold();
    await keeper.ask(({ screen, position }) =>
      stream.resync(screen.serialize({ scrollback: false }), screen.pending(), position),
    );
  }

  close(): void {
    const error = new DomainError('terminal-not-found');
    this.#home.host.detach(this.#handle);
    this.#restored.reject(error);
    this.#caughtUp.reject(error);
    this.#endTyping(error);
    this.#body?.stream.close();
    this.#body?.keeper.close(error);
  }

  restore(state: RestoreState): void {
    const { host, loop, scrollback, interest, post } = this.#home;
    const [id, handle] = [this.#id, this.#handle];
    const input = new InputQueue({ written: state.written, write: (bytes) => host.input(handle, bytes) });
    const stream = new OutputStream({ id, position: state.position, post, watched: () => interest.of(id) });
    const keeper = new ScreenKeeper(
      {
        loop,
        scrollback,
        reply: (data) => input.reply(data),
        confirm: (position) => host.confirm(handle, position),
        save: (checkpoint) => host.checkpoint(handle, checkpoint),
        fault: (error) => post({ type: 'fault', id, error: describe(error) }),
      },
      state,
    );
    this.#body = { keeper, stream, input, replayEnd: state.end };
    this.#restored.resolve(this.#body);
    this.#checkCaughtUp();
  }

  output(bytes: Uint8Array): void {
    const { stream, keeper } = this.#known();
    stream.write(bytes);
    keeper.write(bytes);
    this.#checkCaughtUp();
  }

  resized(cols: number, rows: number): void {
    const { stream, keeper } = this.#known();
    stream.event({ type: 'resized', id: this.#id, cols, rows });
    keeper.resized(cols, rows);
    this.#resizes.shift()?.resolve();
  }

  written(total: number): void {
    this.#known().input.written(total);
  }

  checkpointWanted(): void {
    this.#known().keeper.save();
  }

  exited(exit: ExitStatus): void {
    const { stream, keeper } = this.#known();
    this.#exited = true;
    this.#endTyping(new DomainError('terminal-not-found'));
    stream.end();
    this.#home.post({ type: 'exited', id: this.#id, exit });
    keeper.end();
  }

  /** The pty host speaks of a terminal only after it has restored it. */
  #known(): Body {
    if (!this.#body) throw new Error(`pty host spoke of ${this.#id} before restoring it`);
    return this.#body;
  }

  #checkCaughtUp(): void {
    const body = this.#known();
    if (body.stream.position >= body.replayEnd) this.#caughtUp.resolve(body);
  }

  #endTyping(reason: Error): void {
    this.#body?.input.stop();
    for (const { reject } of this.#resizes.splice(0)) reject(reason);
  }
}

async function readSince(
  keeper: ScreenKeeper,
  since: string,
  { count, offset }: { count?: number | undefined; offset: number },
): Promise<OutputPage> {
  const { from, to, printed } = await keeper.ask((view) => {
    const to = cursorOf(view);
    const from = decodeCursor(since, to.position);
    return { from, to, printed: view.history.between(from.position, to.position) };
  });
  const { gap, size, segments } = printed;
  // What is left after a gap begins with a line of its own, wherever the cursor stood before.
  const start = gap ? { ...size, row: size.rows - 1, col: 0, altScreen: false } : { ...size, ...from };
  const lines = await renderPrinted(segments, start);
  return { ...page(lines, { count: count ?? lines.length, offset }), cursor: encodeCursor(to), gap };
}

/** Where reading may go on: before a sequence that is not finished, so that it is read whole. */
function cursorOf({ screen, position }: ScreenView): ReadCursor {
  return { position: position - screen.pending().length, ...screen.cursor() };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** A promise settled from outside. Nobody may be waiting when it is rejected, which is no fault. */
function deferred<Value>() {
  let resolve!: (value: Value) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
