import { SIGN_EVERY_MS } from '../../contract/limits.js';
import { unpackCheckpoint } from './checkpoint.js';
import { Paced } from './paced.js';
import { SecretCover } from './secret-cover.js';
import type { ShardContext } from './shard-context.js';
import { SignScanner } from './stages/sign-scanner.js';
import { titleOf } from './stages/title.js';

/** Reports what a terminal does beside its output: titles and bells of its programs, and that it prints. */
export class Signs {
  readonly #context: Pick<ShardContext, 'port' | 'interest' | 'activity'>;
  readonly #id: string;
  readonly #scanner = new SignScanner();
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

  constructor(context: Pick<ShardContext, 'port' | 'interest' | 'activity'>, id: string) {
    this.#context = context;
    this.#id = id;
  }

  /** Takes the title from the checkpoint that the terminal begins with. `secret` is covered in it. */
  restored(checkpoint: Uint8Array, secret: string): void {
    try {
      this.#take(new SecretCover(secret).cover(unpackCheckpoint(checkpoint)));
    } catch {
      // The screen reports that its checkpoint cannot be read; the title then is unknown.
    }
  }

  /** @param replayed - number of bytes at the beginning that another shard has taken already: they ring no more */
  output(bytes: Uint8Array, replayed: number): void {
    if (replayed > 0) this.#take(bytes.subarray(0, replayed));
    if (replayed === bytes.length) return;
    if (this.#take(bytes.subarray(replayed)) && this.#context.interest.bells) this.#bell.offer();
    if (this.#context.interest.activity) this.#context.activity.printed(this.#id, bytes.length - replayed);
  }

  /** The program has ended: reports what waits. */
  end(): void {
    this.#context.activity.forget(this.#id);
    this.#title.end();
    this.#bell.end();
  }

  /** The terminal is gone: reports nothing more. */
  close(): void {
    this.#context.activity.forget(this.#id);
    this.#title.close();
    this.#bell.close();
  }

  /** Returns whether the bytes ring. */
  #take(bytes: Uint8Array): boolean {
    const { title, rang } = this.#scanner.scan(bytes);
    if (title) this.#title.offer(titleOf(title));
    return rang;
  }
}
