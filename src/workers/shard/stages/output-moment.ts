import { MAX_FRAME_BYTES, RECORDING_EVENT_MS } from '../../../contract/limits.js';
import type { RecordingEvent } from '../../../contract/recording.js';

/** The output of one moment, which becomes one event of a recording. */
export class OutputMoment {
  #text = '';
  #bytes = 0;
  #since = 0;

  /** Timestamp of the moment's beginning. */
  get since(): number {
    return this.#since;
  }

  /** Returns whether text that comes at `timestamp` belongs to another moment. */
  isOver(text: string, timestamp: number): boolean {
    const bytes = this.#bytes + Buffer.byteLength(text);
    return timestamp - this.#since >= RECORDING_EVENT_MS || bytes > MAX_FRAME_BYTES;
  }

  add(text: string, timestamp: number): void {
    if (this.#bytes === 0) this.#since = timestamp;
    this.#text += text;
    this.#bytes += Buffer.byteLength(text);
  }

  /** Ends the moment. Returns its event, or undefined if nothing was printed. */
  end(): RecordingEvent | undefined {
    if (this.#bytes === 0) return undefined;
    const data = this.#text;
    this.#text = '';
    this.#bytes = 0;
    return { event_type: 'output', data, timestamp: this.#since };
  }
}
