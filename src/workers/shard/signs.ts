import { SIGN_EVERY_MS } from '../../contract/limits.js';
import { unpackCheckpoint } from './checkpoint.js';
import { Paced } from './paced.js';
import { SecretCover } from './secret-cover.js';
import type { ShardContext } from './shard-context.js';
import type { ShellRanges } from './stages/shell-ranges.js';
import { SignScanner } from './stages/sign-scanner.js';
import { titleOf } from './stages/title.js';
import { WatchedOutput } from './watches/watched-output.js';

type SignContext = Pick<ShardContext, 'port' | 'interest' | 'activity' | 'searches'>;

/** The terminal, as far as its signs depend on it. */
interface SignTerminal {
  /** Secret that is covered in the title. */
  secret: string;
  tracker: { shellRanges: ShellRanges };
}

/** Reports the signs of a terminal: titles and bells of its programs, activity, and lines that standing searches find. */
export class Signs {
  readonly #context: SignContext;
  readonly #id: string;
  readonly #scanner = new SignScanner();
  readonly #watched: WatchedOutput;
  /** The title that was reported last. */
  #told = '';
  readonly #title = new Paced<string>(SIGN_EVERY_MS, (title) => {
    if (title === this.#told) return;
    this.#told = title;
    this.#context.port.post({ type: 'titled', id: this.#id, title });
  });
  readonly #bell = new Paced<void>(SIGN_EVERY_MS, () => {
    if (this.#context.interest.bells) this.#context.port.post({ type: 'bell', id: this.#id });
  });

  constructor(context: SignContext, id: string) {
    this.#context = context;
    this.#id = id;
    this.#watched = new WatchedOutput(context.searches, id);
  }

  /** Takes the title from the checkpoint that the terminal begins with. */
  restored(checkpoint: Uint8Array, { secret, tracker }: SignTerminal): void {
    this.#watched.begin(tracker.shellRanges);
    try {
      this.#take(new SecretCover(secret).cover(unpackCheckpoint(checkpoint)));
    } catch {
      // The screen reports that its checkpoint cannot be read; the title then is unknown.
    }
  }

  /**
   * @param replayed - number of bytes at the beginning that another shard has taken already: they ring no more
   * @param end - position after the bytes
   */
  output(bytes: Uint8Array, replayed: number, end: number): void {
    if (replayed > 0) this.#take(bytes.subarray(0, replayed));
    if (replayed === bytes.length) return;
    const fresh = bytes.subarray(replayed);
    if (this.#take(fresh) && this.#context.interest.bells) this.#bell.offer();
    this.#watched.output(fresh, end);
    if (this.#context.interest.activity) this.#context.activity.printed(this.#id, bytes.length - replayed);
  }

  /** Reports the title, bell and lines that wait, since the program has ended. */
  end(): void {
    this.#context.activity.forget(this.#id);
    this.#watched.end();
    this.#title.end();
    this.#bell.end();
  }

  /** Stops all reports, since the terminal is gone. */
  close(): void {
    this.#context.activity.forget(this.#id);
    this.#watched.close();
    this.#title.close();
    this.#bell.close();
  }

  /** Returns whether the bytes ring the bell. */
  #take(bytes: Uint8Array): boolean {
    const { title, rang } = this.#scanner.scan(bytes);
    if (title) this.#title.offer(titleOf(title));
    return rang;
  }
}
