import { Attachment, type AttachOptions } from './attachment.js';
import { errorOf } from './errors.js';
import { type Lease, Leases } from './lease.js';
import { Prompts } from './prompts.js';
import { RECORDED } from './recordings.js';
import type { CallOptions, Requests } from './requests.js';
import { type LineRunOptions, startRun, TerminalRun } from './run.js';
import { segment } from './segment.js';
import type {
  AgentExplanation,
  AttachedClient,
  Capture,
  CommandList,
  CommandOutput,
  ExecuteAnswer,
  GateOptions,
  LeaseOptions,
  OutputPage,
  ProcessMetrics,
  PromptOptions,
  RecordingStarted,
  RecordingStatus,
  RecordOptions,
  Reflowed,
  Snapshot,
  TerminalConnections,
  TerminalInfo,
  TerminalSize,
  UpdateOptions,
  WaitAnswer,
  WaitOptions,
} from './types.js';

interface OutputQuery extends CallOptions {
  lines?: number;
  offset?: number;
  /** A cursor of an earlier answer: gives the exact text printed after it. */
  since?: string | undefined;
}

/** One terminal, by its id. Every method rejects with NotFoundError if there is no such terminal. */
export class Terminal {
  readonly id: string;
  readonly #requests: Requests;

  constructor(requests: Requests, id: string) {
    this.#requests = requests;
    this.id = id;
  }

  /** Resolves with the terminal, also if it has exited and is kept. */
  info(call: CallOptions = {}): Promise<TerminalInfo> {
    return this.#requests.get(this.#path(), call);
  }

  /** Changes name and labels. */
  update(change: UpdateOptions, call: CallOptions = {}): Promise<TerminalInfo> {
    return this.#requests.json('PATCH', this.#path(), { ...call, body: change });
  }

  /** Ends its programs, or drops it if it has exited. */
  async close(call: CallOptions = {}): Promise<void> {
    await this.#requests.json('DELETE', this.#path(), call);
  }

  /** Runs a shell command: await it for its result, or iterate over its lines as they come. */
  run(command: string, options: LineRunOptions = {}): TerminalRun {
    const begun = startRun(this.#requests, { command, terminalIds: [this.id] }, options);
    return new TerminalRun(begun, options);
  }

  /** Pastes a prompt for a program such as a coding agent, and submits it. */
  prompt(
    prompt: string,
    { signal, key, ...options }: PromptOptions & CallOptions = {},
  ): Promise<ExecuteAnswer> {
    const body = { prompt, ...options };
    return this.#requests.post(this.#path('/execute'), { body, isKeyed: true, signal, key });
  }

  /** Types text byte for byte; `\r` is Enter. */
  async type(data: string, { signal, key, ...wish }: GateOptions & CallOptions = {}): Promise<void> {
    const body = { data, ...wish };
    await this.#requests.post(this.#path('/input'), { body, isKeyed: true, signal, key });
  }

  /** Presses keys by their names, such as `enter`, `ctrl+c`, `up`. */
  async keys(
    keys: readonly string[],
    { signal, key, ...wish }: GateOptions & CallOptions = {},
  ): Promise<void> {
    await this.#requests.post(this.#path('/keys'), { body: { keys, ...wish }, isKeyed: true, signal, key });
  }

  /** Takes the lease: no other program types here until it ends. See {@link Leases.take}. */
  lease(options: LeaseOptions & CallOptions = {}): Promise<Lease> {
    return this.leases.take(options);
  }

  /** The prompts that wait until this terminal is ready for them. */
  get prompts(): Prompts {
    return new Prompts(this.#requests, this.#path('/prompts'));
  }

  get leases(): Leases {
    return new Leases(this.#requests, this.id);
  }

  /**
   * Sends a signal, such as `INT` or `SIGTERM`, to the job in the foreground; resolves with its full name. Rejects with
   * ConflictError if only the shell is there.
   */
  async signal(signal: string, call: CallOptions = {}): Promise<string> {
    const sent = { ...call, body: { signal } };
    return (await this.#requests.post<{ signal: string }>(this.#path('/signal'), sent)).signal;
  }

  /** Waits for an event. An answer with `done: false` says that it did not happen in time. */
  waitFor({ signal, ...body }: WaitOptions & CallOptions): Promise<WaitAnswer> {
    return this.#requests.post(this.#path('/wait'), { body, signal });
  }

  /** Resolves with lines of the output without escape sequences; with `since`, with the text after that cursor. */
  async output({ signal, ...query }: OutputQuery = {}): Promise<OutputPage> {
    const page = await this.#requests.get<OutputPage>(this.#path('/output'), { query, signal });
    if (page.cursor === undefined) throw missing(page);
    return page;
  }

  /**
   * Returns the pieces of the exact output, with escape sequences: `from` the start, or from now on. Ends once the
   * program has exited and all of its output has come. Throws DisconnectedError if output would be missing, as for a
   * reader that is too slow; a terminal created with `hold` waits for its reader instead.
   */
  async *stream({
    from = 'start',
    signal,
  }: { from?: 'start' | 'now' } & CallOptions = {}): AsyncGenerator<Uint8Array> {
    yield* this.#requests.pieces('GET', this.#path('/stream'), { query: { from }, signal });
  }

  /** Resolves with escape sequences that draw the screen. */
  async snapshot(call: CallOptions = {}): Promise<Snapshot> {
    const snapshot = await this.#requests.get<Snapshot>(this.#path('/snapshot'), call);
    if (snapshot.seq === undefined) throw missing(snapshot);
    return snapshot;
  }

  /** Resolves with the rows of the screen, with their colours. */
  capture({ scrollback = false, signal }: { scrollback?: boolean } & CallOptions = {}): Promise<Capture> {
    const query = { include_scrollback: scrollback };
    return this.#requests.get(this.#path('/capture'), { query, signal });
  }

  /** Resolves with a picture of the screen, as PNG. */
  screenshot(call: CallOptions = {}): Promise<Uint8Array> {
    return this.#requests.bytes('GET', this.#path('/screenshot'), call);
  }

  size(call: CallOptions = {}): Promise<TerminalSize> {
    return this.#requests.get(this.#path('/size'), call);
  }

  async resize(size: TerminalSize, call: CallOptions = {}): Promise<void> {
    await this.#requests.post(this.#path('/resize'), { ...call, body: size });
  }

  /** Resizes, and resolves with the content if the terminal has reflowed it, as in tmux. */
  reflow(
    size: TerminalSize,
    { content = true, signal }: { content?: boolean } & CallOptions = {},
  ): Promise<Reflowed> {
    return this.#requests.post(this.#path('/resize-reflow'), {
      body: { ...size, capture_content: content },
      signal,
    });
  }

  /** Resolves with the commands of its shell, newest first. */
  commands({ limit, signal }: { limit?: number } & CallOptions = {}): Promise<CommandList> {
    return this.#requests.get(this.#path('/commands'), { query: { limit }, signal });
  }

  commandOutput(
    commandId: string,
    { signal, ...query }: { raw?: boolean; maxBytes?: number } & CallOptions = {},
  ): Promise<CommandOutput> {
    const path = this.#path(`/commands/${segment(commandId)}/output`);
    return this.#requests.get(path, { query, signal });
  }

  /** Resolves with everything that decides the status of its coding agent. */
  explainAgent(call: CallOptions = {}): Promise<AgentExplanation> {
    return this.#requests.get(this.#path('/agent/explain'), call);
  }

  /** Resolves with the processor and memory use of its programs. */
  metrics(call: CallOptions = {}): Promise<ProcessMetrics> {
    return this.#requests.get(`/api/processes/${segment(this.id)}/metrics`, call);
  }

  /** Resolves with the connections of the terminal on the canvas. */
  connections(call: CallOptions = {}): Promise<TerminalConnections> {
    return this.#requests.get(this.#path('/connections'), call);
  }

  /** Starts a recording of output, input and sizes, unless the options say otherwise; resolves with its id. */
  async record(options: Partial<RecordOptions> = {}, call: CallOptions = {}): Promise<string> {
    const body = { terminal_id: this.id, options: { ...RECORDED, ...options } };
    const started = await this.#requests.post<RecordingStarted>('/api/recordings/start', { ...call, body });
    return started.recordingId;
  }

  recording(call: CallOptions = {}): Promise<RecordingStatus> {
    return this.#requests.get(`/api/recordings/status/${segment(this.id)}`, call);
  }

  /** Joins the terminal: returns a client with its screen, all later output, and a size of the client's own. */
  attach(options: AttachOptions): Attachment {
    return new Attachment(this.#requests, this.id, options);
  }

  /** Resolves with the clients that are attached to it. */
  async clients(call: CallOptions = {}): Promise<AttachedClient[]> {
    const { clients } = await this.#requests.get<{ clients: AttachedClient[] }>(this.#path('/clients'), call);
    return clients;
  }

  /** Detaches a client, or all clients. */
  async detach(clientId?: string, call: CallOptions = {}): Promise<void> {
    const path = clientId === undefined ? '/clients' : `/clients/${segment(clientId)}`;
    await this.#requests.json('DELETE', this.#path(path), call);
  }

  #path(rest = ''): string {
    return `/api/terminals/${segment(this.id)}${rest}`;
  }
}

/** Returns the error for an unknown terminal, which some routes report with status 200. */
function missing(answer: object): Error {
  const message = 'Terminal not found';
  return errorOf({ status: 200, code: 'terminal-not-found', message, details: { ...answer } });
}
