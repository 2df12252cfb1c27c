import { Link } from 'wouter';
import { sizeOf } from '../fleet/sizes.js';
import { plainLabel } from '../fleet/words.js';
import { Age } from '../parts/age.js';
import { StatusMark } from '../parts/status-mark.js';
import type { Column, ProcessRow } from './process-rows.js';

type OwnRow = Extract<ProcessRow, { kind: 'own' }>;
type OtherRow = Extract<ProcessRow, { kind: 'other' }>;

/** The cells of a terminal of this machine, by the key of their column. */
const CELLS: Record<Column, (row: OwnRow) => React.ReactNode> = {
  machine: () => 'this machine',
  name: ({ id, name }) => <Link href={`/t/${id}`}>{plainLabel(name)}</Link>,
  app: ({ currentApp, pid, shell }) => (
    <span title={`shell ${plainLabel(shell)}, pid ${pid}`}>{plainLabel(currentApp.name)}</span>
  ),
  pid: ({ currentApp }) => currentApp.pid,
  agent: ({ agent, agentStatus, agentStatusReason }) =>
    agent !== null && (
      <span title={agentStatusReason === null ? undefined : plainLabel(agentStatusReason)}>
        {plainLabel(agent)} {agentStatus !== null && <StatusMark status={agentStatus} />}
      </span>
    ),
  cwd: ({ cwd }) => cwd !== null && <code title={plainLabel(cwd)}>{plainLabel(cwd)}</code>,
  cpu: ({ metrics }) => metrics && `${metrics.cpu.toFixed(1)} %`,
  memory: ({ metrics }) => metrics && sizeOf(metrics.memory),
  input: ({ lastInputSource, lastInputAt }) =>
    lastInputSource !== null && (
      <>
        {lastInputSource} <Age since={lastInputAt ?? undefined} />
      </>
    ),
};

/** The cells of a terminal of another machine; the other columns are unknown here. */
const OTHER_CELLS: Partial<Record<Column, (row: OtherRow) => React.ReactNode>> = {
  machine: ({ deviceName, seenAt }) => (
    <>
      {plainLabel(deviceName)}
      {seenAt !== undefined && (
        <>
          {' '}
          offline, as of <Age since={seenAt} /> ago
        </>
      )}
    </>
  ),
  name: ({ id, machineId, name }) => (
    <Link href={`/machines/${encodeURIComponent(machineId)}/t/${encodeURIComponent(id)}`}>
      {plainLabel(name) || id}
    </Link>
  ),
};

/** Returns the content of a cell. */
export function cellOf(row: ProcessRow, column: Column): React.ReactNode {
  return row.kind === 'own' ? CELLS[column](row) : OTHER_CELLS[column]?.(row);
}
