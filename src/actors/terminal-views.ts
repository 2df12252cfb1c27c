import { NO_AGENT } from '../contract/agent.js';
import { matches, type Selector } from '../contract/labels.js';
import type { ProcessEntry } from '../contract/system.js';
import type { Terminal } from '../contract/terminal.js';
import type { TerminalView } from '../contract/terminal-view.js';
import type { AgentStatus } from '../contract/wait.js';
import type { AgentWatch } from './agents/agent-watch.js';
import type { Attached } from './attached/attached.js';
import type { Commands } from './commands/commands.js';
import { byAge, comesAfter, pageCursor } from './list-page.js';
import type { Processes } from './processes/processes.js';
import type { Terminals } from './terminals.js';

export interface TerminalViewsOptions {
  terminals: Pick<Terminals, 'list' | 'startOf'>;
  processes: Pick<Processes, 'entries' | 'cwd'>;
  commands: Pick<Commands, 'shellStatus'>;
  attached: Pick<Attached, 'list'>;
  agents: Pick<AgentWatch, 'listed'>;
}

/** Query for a list of terminals. */
export interface ListQuery {
  status: 'running' | 'all';
  selector?: Selector | undefined;
  agentStatus?: AgentStatus | undefined;
  /** Cursor of the page before. */
  after?: string | undefined;
  limit?: number | undefined;
  /** Returns whether the client may know of a terminal; by default it may. */
  sees?: ((id: string) => boolean) | undefined;
}

/** A page of a list; `next` is the cursor of the next page, or null if there is none. */
export interface Page<Item> {
  terminals: Item[];
  next: string | null;
}

/** Lists terminals. */
export class TerminalViews {
  readonly #options: TerminalViewsOptions;

  constructor(options: TerminalViewsOptions) {
    this.#options = options;
  }

  /** Returns all terminals, running ones first; with `limit` or `after` a page, oldest first. Throws invalid-cursor. */
  plain(query: ListQuery): Page<Terminal> | Pick<Page<Terminal>, 'terminals'> {
    const listed = this.#listed(query);
    if (query.limit === undefined && query.after === undefined) return { terminals: listed };
    return pageOf(listed.sort(byAge), query.limit ?? listed.length);
  }

  /**
   * Resolves with everything that is known about each terminal, oldest first. A terminal that goes meanwhile is left
   * out. Rejects with invalid-cursor.
   */
  async full(query: ListQuery): Promise<Page<TerminalView>> {
    const { agentStatus } = query;
    const listed = this.#listed(query).sort(byAge);
    const limit = query.limit ?? listed.length;
    // The agents of all terminals must be examined to find the terminals whose agents have this status.
    const { terminals: examined, next } = agentStatus
      ? { terminals: listed, next: null }
      : pageOf(listed, limit);
    const entries = await this.#options.processes.entries(new Set(examined.map(({ id }) => id)));
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    // Listed again, since a terminal may have exited or gone meanwhile.
    const now = new Map(
      this.#options.terminals.list(query.status).map((terminal) => [terminal.id, terminal]),
    );
    const views = examined.flatMap(({ id }) => {
      const terminal = now.get(id);
      return terminal ? [this.#view(terminal, byId.get(id))] : [];
    });
    if (!agentStatus) return { terminals: views, next };
    return pageOf(
      views.filter((view) => view.agentStatus === agentStatus),
      limit,
    );
  }

  #listed({ status, selector, after, sees = () => true }: ListQuery): Terminal[] {
    const isLater = after === undefined ? () => true : comesAfter(after);
    return this.#options.terminals
      .list(status)
      .filter(({ id }) => sees(id))
      .filter((terminal) => (!selector || matches(terminal.labels, selector)) && isLater(terminal));
  }

  #view(terminal: Terminal, entry: ProcessEntry | undefined): TerminalView {
    const { id } = terminal;
    const { size, lastInput, title } = this.#options.terminals.startOf(id);
    const { integration, atPrompt, running, last } = this.#options.commands.shellStatus(id);
    const seen = terminal.status === 'running' ? entry : undefined;
    const { agent, agentStatus, agentStatusReason } = seen ?? NO_AGENT;
    const state = { agent, agentStatus, agentStatusReason };
    const agentSince = this.#options.agents.listed(id, state);
    return {
      ...terminal,
      ...size,
      title: title ?? '',
      currentApp: seen?.currentApp ?? null,
      cwd: seen ? this.#options.processes.cwd(seen) : null,
      ...state,
      agentSince: agentStatus && agentSince,
      integration,
      atPrompt: integration === 'none' ? null : atPrompt,
      command: running ?? last,
      clients: this.#options.attached.list(id).length,
      lastInputSource: lastInput?.source ?? null,
      lastInputAt: lastInput?.at ?? null,
    };
  }
}

function pageOf<Item extends Terminal>(terminals: Item[], limit: number): Page<Item> {
  const page = terminals.slice(0, limit);
  const last = page.at(-1);
  return { terminals: page, next: last && terminals.length > limit ? pageCursor(last) : null };
}
