import { Link } from 'wouter';
import { sizeOf } from '../fleet/sizes.js';
import { plainLabel } from '../fleet/words.js';
import { Age } from '../parts/age.js';
import { StatusMark } from '../parts/status-mark.js';
import type { Column, ProcessRow } from './process-rows.js';

/** The cells of a row, by the key of their column. */
export const CELLS: Record<Column, (row: ProcessRow) => React.ReactNode> = {
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
