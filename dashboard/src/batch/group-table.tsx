import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { plainLabel } from '../fleet/words.js';
import { type BatchGroup, type BatchRow, groupsOf, referenceOf } from './groups.js';
import { OutputDiff } from './output-diff.js';
import { OutputText } from './output-text.js';
import { VerdictMark } from './verdict-mark.js';

const SHOWN_NAMES = 12;

/** The terminals of a group; a link opens the first. */
function Members({ rows }: { rows: readonly BatchRow[] }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? rows : rows.slice(0, SHOWN_NAMES);
  const more = rows.length - shown.length;
  return (
    <span className="batch-members">
      {shown.map(({ terminalId, name }) => (
        <Link key={terminalId} href={`/t/${terminalId}`}>
          {plainLabel(name)}
        </Link>
      ))}
      {more > 0 && (
        <button type="button" onClick={() => setOpen(true)}>
          and {more.toLocaleString()} more
        </button>
      )}
    </span>
  );
}

function GroupRow({ group, reference }: { group: BatchGroup; reference: string | undefined }) {
  const [isDiff, setDiff] = useState(false);
  const { verdict, outcome, output, rows } = group;
  const canDiff = verdict !== 'running' && reference !== undefined && output !== reference;
  return (
    <tr>
      <td className="batch-number">{rows.length.toLocaleString()}</td>
      <td>
        <VerdictMark verdict={verdict} />
        <div>{plainLabel(outcome)}</div>
        {canDiff && (
          <button type="button" aria-pressed={isDiff} onClick={() => setDiff(!isDiff)}>
            diff
          </button>
        )}
      </td>
      <td>
        {isDiff && canDiff ? (
          <OutputDiff reference={reference} output={output} />
        ) : (
          <OutputText text={output} />
        )}
      </td>
      <td>
        <Members rows={rows} />
      </td>
    </tr>
  );
}

/** Equal outputs, each once. */
export function GroupTable({ rows }: { rows: readonly BatchRow[] }) {
  const groups = useMemo(() => groupsOf(rows), [rows]);
  const reference = useMemo(() => referenceOf(rows), [rows]);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">count</th>
          <th scope="col">outcome</th>
          <th scope="col" className="batch-output">
            output
          </th>
          <th scope="col">terminals</th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <GroupRow key={group.key} group={group} reference={reference} />
        ))}
      </tbody>
    </table>
  );
}
