import type { CallOptions, Requests } from './requests.js';
import { segment } from './segment.js';
import type {
  ActiveRecording,
  ActiveRecordings,
  ExportFormat,
  RecordingInfo,
  RecordingStopped,
  RecordingSummary,
} from './types.js';

/** Default options of a recording; the service takes all of these options or none. */
export const RECORDED = {
  ...{ include_output: true, include_input: true, include_resize: true },
  ...{ compression: 'gzip', auto_stop: false },
} as const;

/** Recordings of terminals. `terminal.record()` starts one. */
export class Recordings {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  stop(id: string, call: CallOptions = {}): Promise<RecordingStopped> {
    return this.#requests.post(`/api/recordings/stop/${segment(id)}`, call);
  }

  /** Resolves with the stopped recordings, newest first. */
  async list(call: CallOptions = {}): Promise<RecordingSummary[]> {
    return (await this.#requests.get<{ recordings: RecordingSummary[] }>('/api/recordings', call)).recordings;
  }

  active(call: CallOptions = {}): Promise<ActiveRecordings> {
    return this.#requests.get('/api/recordings/active', call);
  }

  /** Resolves with the recordings that go on, and their sizes so far. */
  async running(call: CallOptions = {}): Promise<ActiveRecording[]> {
    const query = { view: 'full' };
    const answer = await this.#requests.get<ActiveRecordings>('/api/recordings/active', { ...call, query });
    return answer.recordings ?? [];
  }

  info(id: string, call: CallOptions = {}): Promise<RecordingInfo> {
    return this.#requests.get(`${pathOf(id)}/info`, call);
  }

  /** Returns the pieces of the whole recording, as JSON; it may be larger than memory. */
  async *read(id: string, call: CallOptions = {}): AsyncGenerator<Uint8Array> {
    yield* this.#requests.pieces('GET', pathOf(id), call);
  }

  /**
   * Returns the pieces of a file in this format. `redact`: whether secrets are replaced; absent: as the service's
   * settings say.
   */
  async *export(
    id: string,
    format: ExportFormat,
    { redact, ...call }: CallOptions & { redact?: boolean | undefined } = {},
  ): AsyncGenerator<Uint8Array> {
    const body = { format, redact };
    yield* this.#requests.pieces('POST', `${pathOf(id)}/export`, { ...call, body, isRead: true });
  }

  async delete(id: string, call: CallOptions = {}): Promise<void> {
    await this.#requests.json('DELETE', pathOf(id), call);
  }
}

function pathOf(id: string): string {
  return `/api/recordings/${segment(id)}`;
}
