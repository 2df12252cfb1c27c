import type { CallOptions, Requests } from './requests.js';
import { Terminal } from './terminal.js';
import type {
  AgentStatus,
  BatchCreateAnswer,
  ChangesAnswer,
  CreatedTerminal,
  CreateOptions,
  LimitsAnswer,
  ProcessEntry,
  TerminalInfo,
  TerminalView,
} from './types.js';

interface ListQuery extends CallOptions {
  /** `all` adds exited terminals that are kept. */
  status?: 'running' | 'all';
  /** Such as `role=test,repo=api`. */
  selector?: string | undefined;
  /** Number of terminals to list, the oldest; at most 1,000. */
  limit?: number;
}

interface ViewsQuery extends ListQuery {
  agentStatus?: AgentStatus;
}

/** The terminals of a service. */
export class Terminals {
  /**
   * Entries on each page of {@link views}; undefined: all in one page, as for another machine. The cursor of a page names a
   * terminal, so a machine gives pages only to whom it shows all of its terminals.
   */
  pageSize: number | undefined = 500;
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Returns the terminal with this id, without asking whether it exists. */
  get(id: string): Terminal {
    return new Terminal(this.#requests, id);
  }

  /**
   * Creates a terminal, by default with the default shell. Rejects with BusyError `over-limit` at a limit of the service, at
   * once or after `queueMs` in line.
   */
  async create(
    options: CreateOptions = {},
    call: CallOptions = {},
  ): Promise<Terminal & { created: CreatedTerminal }> {
    const answer = { ...call, body: options, isKeyed: true };
    const created = await this.#requests.post<CreatedTerminal>('/api/terminals', answer);
    return Object.assign(this.get(created.id), { created });
  }

  /** Creates up to 1,000 terminals. The answer reports terminals that could not be created. */
  createMany(terminals: readonly CreateOptions[], call: CallOptions = {}): Promise<BatchCreateAnswer> {
    return this.#requests.post('/api/terminals/batch/create', {
      ...call,
      body: { terminals },
      isKeyed: true,
    });
  }

  async list({ signal, ...query }: ListQuery = {}): Promise<TerminalInfo[]> {
    const { terminals } = await this.#requests.get<{ terminals: TerminalInfo[] }>('/api/terminals', {
      query,
      signal,
    });
    return terminals;
  }

  /** Lists terminals with everything that is known of them, oldest first, page by page: `limit` each. */
  async *views(query: ViewsQuery = {}): AsyncGenerator<TerminalView> {
    for (let after: string | undefined; ; ) {
      const page = await this.page({ limit: this.pageSize, ...query, after });
      yield* page.terminals;
      if (page.next === null) return;
      after = page.next;
    }
  }

  /** Resolves with one page of that list; `next` is the cursor of the page after it, or null if there is none. */
  page({ signal, ...query }: ViewsQuery & { after?: string | undefined } = {}): Promise<{
    terminals: TerminalView[];
    next: string | null;
  }> {
    return this.#requests.get('/api/terminals', { query: { ...query, view: 'full' }, signal });
  }

  /** Resolves with the new output of many terminals since their cursors; null means all kept output. */
  changes(
    cursors: Record<string, string | null>,
    { maxBytes, signal }: { maxBytes?: number } & CallOptions = {},
  ): Promise<ChangesAnswer> {
    return this.#requests.post('/api/terminals/changes', {
      body: { cursors, maxBytes },
      isRead: true,
      signal,
    });
  }

  /** Resolves with the limits of new terminals, their use, and the creations in line. */
  limits(call: CallOptions = {}): Promise<LimitsAnswer> {
    return this.#requests.get('/api/limits', call);
  }

  /** Resolves with the programs that run in each terminal. */
  async processes(call: CallOptions = {}): Promise<ProcessEntry[]> {
    const { processes } = await this.#requests.get<{ processes: ProcessEntry[] }>('/api/processes', call);
    return processes;
  }
}
