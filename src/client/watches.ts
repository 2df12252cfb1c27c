import type { CallOptions, Requests } from './requests.js';
import { segment } from './segment.js';
import type { WatchForOptions, WatchInfo } from './types.js';

/** Standing searches in the output of terminals. */
export class Watches {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  async list(call: CallOptions = {}): Promise<WatchInfo[]> {
    return (await this.#requests.get<{ watches: WatchInfo[] }>('/api/watches', call)).watches;
  }

  get(id: string, call: CallOptions = {}): Promise<WatchInfo> {
    return this.#requests.get(pathOf(id), call);
  }

  /** Resolves once all later output is searched. */
  create(watch: WatchForOptions, call: CallOptions = {}): Promise<WatchInfo> {
    return this.#requests.post('/api/watches', { ...call, body: watch });
  }

  async delete(id: string, call: CallOptions = {}): Promise<void> {
    await this.#requests.json('DELETE', pathOf(id), call);
  }
}

function pathOf(id: string): string {
  return `/api/watches/${segment(id)}`;
}
