import { NO_AGENT } from '../../contract/agent.js';
import type { Command } from '../../contract/command.js';
import type { LeaseChange } from '../../contract/input-gate.js';
import type { Labels } from '../../contract/labels.js';
import { MAX_OPEN_COMMANDS, MAX_REMOVED_LABELS } from '../../contract/limits.js';
import type { KeptEvent, PassingEvent } from '../../contract/service-event.js';
import type { ExitStatus, InputOrigin, Terminal } from '../../contract/terminal.js';
import { positionOfCommand } from '../commands/ended-commands.js';
import type { EngineEvent } from '../events.js';
import type { Terminals } from '../terminals.js';
import type { EventLog } from './event-log.js';
import type { TerminalFact } from './kept-log.js';

export interface TerminalFeedOptions {
  log: Pick<EventLog, 'append' | 'pass' | 'note' | 'facts' | 'isContinued'>;
  terminals: Pick<Terminals, 'get' | 'list' | 'startOf'>;
}

const TERMINALS = 'terminal/';

/**
 * Logs the events of terminals. Keeps the logged state of each terminal, so that each change is logged once, and so
 * that changes from the time without a service are logged at the start.
 */
export class TerminalFeed {
  readonly #log: TerminalFeedOptions['log'];
  readonly #terminals: TerminalFeedOptions['terminals'];
  /** Labels of the terminals that were removed last, in that order. */
  readonly #removedLabels = new Map<string, Labels>();

  constructor({ log, terminals }: TerminalFeedOptions) {
    this.#log = log;
    this.#terminals = terminals;
  }

  /** Logs the changes since the last event of an earlier service. Call before the first event of this service. */
  start(): void {
    const there = this.#terminals.list('all');
    for (const terminal of there) {
      if (this.#log.isContinued) this.#catchUp(terminal);
      else this.#note(terminal.id, this.#factOf(terminal));
    }
    const ids = new Set(there.map(({ id }) => TERMINALS + id));
    const gone = [...this.#log.facts.keys()].filter((key) => key.startsWith(TERMINALS) && !ids.has(key));
    for (const key of gone) this.#removed(key.slice(TERMINALS.length));
  }

  /** Returns whether, according to the log, an agent runs in the terminal. */
  hasAgent(id: string): boolean {
    return (this.#fact(id)?.agent?.agent ?? null) !== null;
  }

  /** Returns the labels of a terminal as of its last event; undefined if it is unknown or gone. */
  labelsOf(id: string): Labels | undefined {
    return this.#fact(id)?.labels;
  }

  /** As {@link labelsOf}, also for the terminals that were removed last: who waits for the end of one asks again after it. */
  lastLabelsOf(id: string): Labels | undefined {
    return this.labelsOf(id) ?? this.#removedLabels.get(id);
  }

  onEvent(event: EngineEvent): void {
    const { id } = event;
    switch (event.type) {
      case 'created':
        this.#created(event.terminal);
        return;
      case 'adopted':
        this.#catchUp(this.#terminals.get(id));
        return;
      case 'updated':
        this.#updated(event.terminal);
        return;
      case 'resized': {
        const { cols, rows } = event;
        this.#say({ type: 'terminal.resized', terminalId: id, data: { cols, rows } }, { cols, rows });
        return;
      }
      case 'titled':
        this.#pass({ type: 'terminal.title', terminalId: id, data: { title: event.title } });
        return;
      case 'bell':
        this.#pass({ type: 'terminal.bell', terminalId: id, data: {} });
        return;
      case 'active':
        this.#pass({ type: 'terminal.activity', terminalId: id, data: { bytes: event.bytes } });
        return;
      case 'typed':
        this.#typed(id, event.origin);
        return;
      case 'lease':
        this.#leased(id, event.change);
        return;
      case 'command':
        this.#command(id, event.command);
        return;
      case 'agent': {
        const { agent, isAgain = false } = event;
        const told = this.#fact(id)?.agent ?? NO_AGENT;
        if (!isAgain && agent.agent === told.agent && agent.agentStatus === told.agentStatus) return;
        this.#say({ type: 'agent.status', terminalId: id, data: agent }, { agent });
        return;
      }
      case 'exited':
        this.#exited(id, event.exit);
        return;
      case 'removed':
        this.#removed(id);
    }
  }

  /** Logs the differences between a terminal and its logged state. */
  #catchUp(terminal: Terminal): void {
    const { id, status } = terminal;
    const { size, exit } = this.#terminals.startOf(id);
    const fact = this.#fact(id);
    if (fact) {
      this.#updated(terminal);
      const { cols, rows } = size;
      if (fact.cols !== cols || fact.rows !== rows)
        this.#say({ type: 'terminal.resized', terminalId: id, data: { cols, rows } }, { cols, rows });
      // The origin of input while no log was written is unknown.
      this.#typed(id, null);
    } else {
      this.#created(terminal);
    }
    if (status === 'exited' && exit && this.#fact(id)?.status === 'running') this.#exited(id, exit);
  }

  #created(terminal: Terminal): void {
    const { id: terminalId, labels } = terminal;
    const running = { ...this.#factOf(terminal), status: 'running' } as const;
    this.#log.append(
      { type: 'terminal.created', terminalId, data: terminal },
      labels,
      changeOf(terminalId, running),
    );
  }

  #updated(terminal: Terminal): void {
    const { id: terminalId, name, tabId, labels } = terminal;
    const fact = this.#fact(terminalId);
    if (!fact || (fact.name === name && fact.tabId === tabId && isSame(fact.labels, labels))) return;
    this.#say({ type: 'terminal.updated', terminalId, data: terminal }, { name, tabId, labels });
  }

  #typed(id: string, source: InputOrigin | null): void {
    if (this.#fact(id)?.input === source) return;
    this.#say({ type: 'input.changed', terminalId: id, data: { source } }, { input: source });
  }

  /** Leases end with the service, so the log keeps no fact of them. */
  #leased(id: string, lease: LeaseChange): void {
    const source = this.#fact(id)?.input ?? null;
    this.#say({ type: 'input.changed', terminalId: id, data: { source, lease } }, {});
  }

  /**
   * After the death of a shard or of the service, commands that are in the log may be reported again. For an exited
   * terminal a second end is not a repetition: it reports how a command ended that was only presumed to have ended.
   */
  #command(id: string, command: Command): void {
    const fact = this.#fact(id);
    if (!fact) return;
    const { open, begun, status } = fact;
    const position = positionOfCommand(command.id);
    const isOpen = open.includes(command.id);
    if (command.endedAt === null) {
      if (isOpen || position <= begun) return;
      const change = { open: [...open, command.id].slice(-MAX_OPEN_COMMANDS), begun: position };
      this.#say({ type: 'command.started', terminalId: id, data: command }, change);
      return;
    }
    if (!isOpen && position <= begun && status === 'running') return;
    const change = { open: open.filter((each) => each !== command.id), begun: Math.max(begun, position) };
    this.#say({ type: 'command.finished', terminalId: id, data: command }, change);
  }

  #exited(id: string, exit: ExitStatus): void {
    this.#say({ type: 'terminal.exited', terminalId: id, data: exit }, { status: 'exited', agent: null });
  }

  #removed(id: string): void {
    const labels = this.labelsOf(id) ?? {};
    this.#removedLabels.set(id, labels);
    const [oldest] = this.#removedLabels.keys();
    if (this.#removedLabels.size > MAX_REMOVED_LABELS && oldest !== undefined)
      this.#removedLabels.delete(oldest);
    this.#log.append({ type: 'terminal.removed', terminalId: id, data: {} }, labels, changeOf(id, null));
  }

  #pass(event: PassingEvent): void {
    this.#log.pass(event, this.labelsOf(event.terminalId) ?? {});
  }

  /** Logs an event of a known terminal, together with the facts about the terminal that it reports. */
  #say(event: KeptEvent & { terminalId: string }, said: Partial<Omit<TerminalFact, 'kind'>>): void {
    const fact = this.#fact(event.terminalId);
    if (!fact) return;
    const next = { ...fact, ...said };
    this.#log.append(event, next.labels, changeOf(event.terminalId, next));
  }

  #note(id: string, fact: TerminalFact): void {
    this.#log.note(changeOf(id, fact));
  }

  #fact(id: string): TerminalFact | undefined {
    const fact = this.#log.facts.get(TERMINALS + id);
    return fact?.kind === 'terminal' ? fact : undefined;
  }

  #factOf({ id, status, name, tabId, labels }: Terminal): TerminalFact {
    const { size } = this.#terminals.startOf(id);
    const nothing = { agent: null, input: null, open: [], begun: -1 };
    return { kind: 'terminal', status, name, tabId, labels, ...size, ...nothing };
  }
}

function changeOf(id: string, fact: TerminalFact | null) {
  return new Map([[TERMINALS + id, fact]]);
}

function isSame(one: Record<string, string>, other: Record<string, string>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
