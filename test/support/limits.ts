import type { LimitsAnswer } from '#dist/contract/admission.js';
import type { LimitSettings } from '#dist/contract/limit-settings.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi } from './http.js';
import { eventually } from './processes.js';

/** A refusal at a limit. */
export interface Refused {
  error: string;
  code: string;
  limit: string;
  value: number;
  position?: number;
  retryAfterMs: number;
}

/** A service whose limits a test sets and watches. */
export class Limited {
  readonly api: Api;

  constructor(api: Api) {
    this.api = api;
  }

  /** Sets these limits, and no others. */
  async set(limits: { [Key in keyof LimitSettings]: LimitSettings[Key] | null }): Promise<void> {
    const none = { maxTerminals: null, perLabel: null, minAvailableMemory: null, maxMemoryPressure: null };
    const { status, body } = await this.api.patch('/api/settings', { limits: { ...none, ...limits } });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }

  async now(): Promise<LimitsAnswer> {
    return (await this.api.get<LimitsAnswer>('/api/limits')).body;
  }

  /** Resolves with the queue once this number of creations waits in it. */
  async waiting(length: number): Promise<LimitsAnswer['queue']['waiting']> {
    let queue = (await this.now()).queue;
    await eventually(`${length} wait in line`, async () => {
      queue = (await this.now()).queue;
      return queue.length === length;
    });
    return queue.waiting;
  }

  async running(): Promise<Terminal[]> {
    return (await this.api.get<{ terminals: Terminal[] }>('/api/terminals')).body.terminals;
  }

  async closeAll(): Promise<void> {
    for (const { id } of await this.running()) await this.api.delete(`/api/terminals/${id}`);
  }

  create(body: object = {}, key?: string) {
    const api =
      key === undefined ? this.api : createApi(this.api.url, { headers: { 'idempotency-key': key } });
    return api.post<Terminal & Refused>('/api/terminals', { command: ['cat'], ...body });
  }
}
