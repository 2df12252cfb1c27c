import { AuditTrail } from './audit.js';
import { type EventsOptions, followEvents, type Reset, type ServiceEvent } from './events.js';
import { Fleet } from './fleet.js';
import { listPrompts } from './prompts.js';
import { Recordings } from './recordings.js';
import { type CallOptions, type ClientOptions, type Query, Requests } from './requests.js';
import { RunHandle } from './run.js';
import { Screens, type ScreensOptions, type ScreenView } from './screens.js';
import { runEach, Selection } from './selection.js';
import { Terminals } from './terminals.js';
import { Tokens } from './tokens.js';
import type { Transport } from './transport.js';
import type {
  BatchRunAnswer,
  Caller,
  Health,
  OwnCommands,
  PromptInfo,
  PromptsQuery,
  RunHead,
  RunOptions,
  SearchAnswer,
  SearchOptions,
  SystemInfo,
  TmuxStatus,
} from './types.js';
import { type LiveOutput, type WatchOptions, watchOutput } from './watch.js';
import { Watches } from './watches.js';
import { Webhooks } from './webhooks.js';
import { Canvas, Layout, Profiles, Session, Settings } from './workspace.js';

/** A service, reached by a transport. All methods reject with the errors of `errors.ts`. */
export class Client {
  readonly terminals: Terminals;
  readonly recordings: Recordings;
  readonly profiles: Profiles;
  readonly layout: Layout;
  readonly canvas: Canvas;
  readonly settings: Settings;
  readonly watches: Watches;
  readonly webhooks: Webhooks;
  /** Session of a page of the dashboard. */
  readonly session: Session;
  readonly fleet: Fleet;
  readonly audit: AuditTrail;
  readonly tokens: Tokens;
  readonly #requests: Requests;

  constructor(transport: Transport, options: ClientOptions = {}) {
    const requests = new Requests(transport, options);
    this.#requests = requests;
    this.terminals = new Terminals(requests);
    this.recordings = new Recordings(requests);
    this.profiles = new Profiles(requests);
    this.layout = new Layout(requests);
    this.canvas = new Canvas(requests);
    this.settings = new Settings(requests);
    this.watches = new Watches(requests);
    this.webhooks = new Webhooks(requests);
    this.session = new Session(requests);
    this.fleet = new Fleet(requests);
    this.audit = new AuditTrail(requests);
    this.tokens = new Tokens(requests);
  }

  /** Returns the terminals with these labels (`role=test,repo=api`), or with these ids. */
  select(targets: string | readonly string[]): Selection {
    return new Selection(
      this.#requests,
      typeof targets === 'string' ? { selector: targets } : { terminalIds: targets },
    );
  }

  /** Runs a command of its own in each of the terminals. */
  runEach(runs: OwnCommands, options: RunOptions & CallOptions = {}): Promise<BatchRunAnswer> {
    return runEach(this.#requests, runs, options);
  }

  /** Returns a run by its id, without asking whether it exists. */
  run(runId: string): RunHandle {
    return new RunHandle(this.#requests, runId);
  }

  /** Resolves with the runs of the last 24 h, newest first. */
  async runs({ limit, signal }: { limit?: number } & CallOptions = {}): Promise<RunHead[]> {
    return (await this.#requests.get<{ runs: RunHead[] }>('/api/runs', { query: { limit }, signal })).runs;
  }

  /** Resolves with the waiting and the ended prompts of all terminals. */
  prompts(query: PromptsQuery & CallOptions = {}): Promise<PromptInfo[]> {
    return listPrompts(this.#requests, '/api/prompts', query);
  }

  /** Follows the events of the service, across restarts; see {@link followEvents}. */
  events(options: EventsOptions = {}): AsyncGenerator<ServiceEvent | Reset> {
    return followEvents(this.#requests, options);
  }

  /** Follows the output of terminals; see {@link watchOutput}. */
  watch(options: WatchOptions = {}): AsyncGenerator<LiveOutput> {
    return watchOutput(this.#requests, options);
  }

  /** Returns a follower of the screens of many terminals, row by row; see {@link Screens}. */
  screens(views: readonly ScreenView[] = [], options: ScreensOptions = {}): Screens {
    return new Screens(this.#requests, views, options);
  }

  /** Searches the output of terminals, and the input typed into them. */
  search(query: string, { signal, ...options }: SearchOptions & CallOptions = {}): Promise<SearchAnswer> {
    return this.#requests.post('/api/search', { body: { query, ...options }, isRead: true, signal });
  }

  /** Resolves with words of the index that begin with `text`. */
  async suggest(text: string, call: CallOptions = {}): Promise<string[]> {
    const answer = { ...call, query: { q: text } };
    return (await this.#requests.get<{ suggestions: string[] }>('/api/search/suggestions', answer))
      .suggestions;
  }

  async clearSearch(call: CallOptions = {}): Promise<void> {
    await this.#requests.json('DELETE', '/api/search/index', call);
  }

  health(call: CallOptions = {}): Promise<Health> {
    return this.#requests.get('/health', call);
  }

  /** Resolves with the terminal that this program runs in, if the service knows it. */
  caller(call: CallOptions = {}): Promise<Caller> {
    return this.#requests.get('/api/caller', call);
  }

  system(call: CallOptions = {}): Promise<SystemInfo> {
    return this.#requests.get('/api/system/info', call);
  }

  tmux(call: CallOptions = {}): Promise<TmuxStatus> {
    return this.#requests.get('/api/system/tmux-status', call);
  }

  /** Resolves with the figures of the service, in the format of Prometheus. */
  metrics(call: CallOptions = {}): Promise<string> {
    return this.#requests.text('GET', '/metrics', call);
  }

  /** Resolves with the OpenAPI document of the service. */
  openapi(call: CallOptions = {}): Promise<Record<string, unknown>> {
    return this.#requests.get('/openapi.json', call);
  }

  /** Calls any route, such as one of a later version of the service. Resolves with its JSON. */
  request<Answer = unknown>(
    method: string,
    path: string,
    call: CallOptions & { query?: Query; body?: unknown } = {},
  ): Promise<Answer> {
    return this.#requests.json(method, path, call);
  }

  /** Closes all connections. Calls and streams end with ClosedError, both in progress and later. */
  close(): void {
    this.#requests.close();
  }
}
