import type { CallOptions, Requests } from './requests.js';
import { segment } from './segment.js';
import type { PromptInfo, PromptsQuery, QueueOptions } from './types.js';

/** Prompts of one terminal: waiting until it is ready for them, or ended. */
export class Prompts {
  readonly #requests: Requests;
  readonly #path: string;

  /** @param path - of the prompts of the terminal */
  constructor(requests: Requests, path: string) {
    this.#requests = requests;
    this.#path = path;
  }

  /** Queues a prompt; it is typed also if this program has ended by then. */
  add(prompt: string, { signal, key, ...options }: QueueOptions & CallOptions = {}): Promise<PromptInfo> {
    return this.#requests.post(this.#path, { body: { prompt, ...options }, isKeyed: true, signal, key });
  }

  list(call: CallOptions = {}): Promise<PromptInfo[]> {
    return listPrompts(this.#requests, this.#path, call);
  }

  get(promptId: string, call: CallOptions = {}): Promise<PromptInfo> {
    return this.#requests.get(this.#of(promptId), call);
  }

  /** Cancels a prompt. Rejects with ConflictError `prompt-not-queued` if the prompt no longer waits. */
  cancel(promptId: string, call: CallOptions = {}): Promise<PromptInfo> {
    return this.#requests.json('DELETE', this.#of(promptId), call);
  }

  #of(promptId: string): string {
    return `${this.#path}/${segment(promptId)}`;
  }
}

/** Resolves with the prompts that a path lists. */
export async function listPrompts(
  requests: Requests,
  path: string,
  { signal, ...query }: PromptsQuery & CallOptions,
): Promise<PromptInfo[]> {
  return (await requests.get<{ prompts: PromptInfo[] }>(path, { query, signal })).prompts;
}
