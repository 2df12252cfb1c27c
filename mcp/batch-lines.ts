import { Transform, type TransformCallback } from 'node:stream';
import { MAX_BODY_BYTES } from '../src/contract/limits.js';
import { MAX_BATCH } from './messages.js';

const LF = 0x0a;
const BRACKET = '['.charCodeAt(0);

/**
 * Lines of a client on stdio, with a line for each message of a batch: clients of older revisions may send several
 * messages at once, and the SDK's transport reads one message from a line. All other lines pass as they are.
 */
export class BatchLines extends Transform {
  /** Bytes of a line that begins like a batch; undefined within another line. */
  #batch: Buffer[] | undefined;
  #batchBytes = 0;
  #isAtLineStart = true;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    for (let at = 0; at < chunk.length; ) {
      const lineFeed = chunk.indexOf(LF, at);
      const end = lineFeed === -1 ? chunk.length : lineFeed + 1;
      this.#take(chunk.subarray(at, end), lineFeed !== -1);
      at = end;
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    for (const part of this.#batch ?? []) this.push(part);
    done();
  }

  #take(part: Buffer, isEnd: boolean): void {
    if (this.#isAtLineStart && part[0] === BRACKET) {
      this.#batch = [];
      this.#batchBytes = 0;
    }
    this.#isAtLineStart = isEnd;
    if (!this.#batch) {
      this.push(part);
      return;
    }
    this.#batch.push(part);
    this.#batchBytes += part.length;
    // The transport refuses a line that is too long.
    if (!isEnd && this.#batchBytes <= MAX_BODY_BYTES) return;
    const line = Buffer.concat(this.#batch);
    this.#batch = undefined;
    this.push(messagesOfBatch(line) ?? line);
  }
}

/** Returns the messages of a batch, each as a line; undefined if the line is no batch. */
function messagesOfBatch(line: Buffer): string | undefined {
  let messages: unknown;
  try {
    messages = JSON.parse(line.toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MAX_BATCH) return undefined;
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('');
}
