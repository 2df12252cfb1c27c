import type { CallOptions, Requests } from './requests.js';
import { type RunHandle, startRun } from './run.js';
import type {
  BatchAnswer,
  BatchRunAnswer,
  GateOptions,
  OwnCommands,
  PromptOptions,
  RunOptions,
  WaitManyAnswer,
  WaitManyOptions,
} from './types.js';

/** Terminals that a call is for: all with these labels, or all with these ids. */
export type Targets = { selector: string } | { terminalIds: readonly string[] };

/** Many terminals at once. A terminal in which a call fails is reported in the answer and does not delay the others. */
export class Selection {
  readonly #requests: Requests;
  readonly #targets: Targets;

  constructor(requests: Requests, targets: Targets) {
    this.#requests = requests;
    this.#targets = targets;
  }

  /** Runs a command in each terminal; resolves as `waitFor` says, by default once all have ended. */
  run(command: string, { signal, key, ...options }: RunOptions & CallOptions = {}): Promise<BatchRunAnswer> {
    const body = { ...this.#targets, command, ...options };
    return this.#requests.post('/api/terminals/batch/run', { body, isKeyed: true, signal, key });
  }

  /** Begins to run a command in each terminal; follow its output by the handle. */
  start(command: string, options: Omit<RunOptions, 'waitFor'> & CallOptions = {}): Promise<RunHandle> {
    return startRun(this.#requests, { ...this.#targets, command }, options);
  }

  prompt(
    prompt: string,
    { signal, key, ...options }: PromptOptions & CallOptions = {},
  ): Promise<BatchAnswer> {
    const body = { ...this.#targets, prompt, ...options };
    return this.#requests.post('/api/terminals/batch/execute', { body, isKeyed: true, signal, key });
  }

  type(data: string, { signal, key, ...wish }: GateOptions & CallOptions = {}): Promise<BatchAnswer> {
    const body = { ...this.#targets, data, ...wish };
    return this.#requests.post('/api/terminals/batch/input', { body, isKeyed: true, signal, key });
  }

  /** Waits until something has happened in one of the terminals, or in as many as `mode` says. */
  wait({ signal, ...options }: WaitManyOptions & CallOptions): Promise<WaitManyAnswer> {
    return this.#requests.post('/api/terminals/wait', {
      body: { ...this.#targets, ...options },
      isRead: true,
      signal,
    });
  }
}

/** Runs a command of its own in each of the terminals; resolves as `waitFor` says, by default once all have ended. */
export function runEach(
  requests: Requests,
  runs: OwnCommands,
  { signal, key, ...options }: RunOptions & CallOptions = {},
): Promise<BatchRunAnswer> {
  return requests.post('/api/terminals/batch/run', {
    body: { runs, ...options },
    isKeyed: true,
    signal,
    key,
  });
}
