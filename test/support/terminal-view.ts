import type { TerminalView } from '#dist/client/index.js';

let count = 0;

/**
 * Returns a terminal as the list shows it: a shell at its prompt that has run nothing, unless `part` says otherwise.
 */
export function viewOf(part: Partial<TerminalView> = {}): TerminalView {
  const id = part.id ?? `term_${String(++count).padStart(12, '0')}`;
  return {
    ...{ id, processId: id, name: id, profile: 'bash', status: 'running', pid: 1, createdAt: count },
    ...{ mode: 'api', tabId: 'tb-000000000', labels: {}, cols: 80, rows: 24, title: '' },
    ...{ currentApp: { pid: 1, name: 'bash' }, cwd: '/' },
    ...{ agent: null, agentStatus: null, agentStatusReason: null, agentSince: null },
    ...{ integration: 'bash', atPrompt: true, command: null, clients: 0 },
    ...{ lastInputSource: null, lastInputAt: null },
    ...part,
  };
}

/** Returns the last command of a terminal. */
export function commandOf(
  commandLine: string,
  exitCode: number | null,
  endedAt: number | null = 2,
): TerminalView['command'] {
  return {
    ...{ id: 'cmd', commandLine, cwd: '/', startedAt: 1, endedAt, exitCode },
    durationMs: endedAt === null ? null : endedAt - 1,
    outputCursor: { start: '0', end: null },
  };
}
