import type { Command, ServiceEvent, TerminalInfo, TerminalView } from '../../../src/client/browser.js';

/** A terminal, as the page knows it. */
export type FleetTerminal = TerminalView;

/** Returns the view of a new terminal, before the service has reported more than its existence. */
function viewOf(terminal: TerminalInfo): FleetTerminal {
  return {
    ...terminal,
    ...{
      cols: 80,
      rows: 24,
      title: '',
      currentApp: null,
      cwd: null,
      integration: 'none',
      atPrompt: null,
      command: null,
    },
    ...{ agent: null, agentStatus: null, agentStatusReason: null, agentSince: null, clients: 0 },
    ...{ lastInputSource: null, lastInputAt: null },
  };
}

/** An event as the page gets it. */
export type LiveEvent = Omit<ServiceEvent, 'id'>;

/** Applies an event to the terminals. */
export function afterEvent(terminals: Map<string, FleetTerminal>, event: LiveEvent): void {
  const { type, terminalId: id, data } = event;
  if (id === undefined) return;
  const known = terminals.get(id);
  if (type === 'terminal.created') {
    if (!known) terminals.set(id, viewOf(data as unknown as TerminalInfo));
  } else if (type === 'terminal.removed') {
    terminals.delete(id);
  } else if (known) {
    const change = changeBy(event);
    if (change) terminals.set(id, { ...known, ...change });
  }
}

function changeBy({ type, data, timestamp }: LiveEvent): Partial<FleetTerminal> | undefined {
  switch (type) {
    case 'terminal.updated':
    case 'terminal.resized':
    case 'terminal.title':
    case 'agent.status':
      return data;
    case 'terminal.exited':
      return { ...data, status: 'exited' };
    case 'command.started':
    case 'command.finished':
      return { command: data as unknown as Command, atPrompt: type === 'command.finished' };
    case 'input.changed':
      return {
        lastInputSource: data.source as TerminalView['lastInputSource'],
        lastInputAt: Date.parse(timestamp),
      };
    default:
      return undefined;
  }
}
