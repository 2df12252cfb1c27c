import { memo, useMemo } from 'react';
import { Link } from 'wouter';
import { durationOf, plainLabel } from '../fleet/words.js';
import { type BatchRow, outcomeOf, referenceOf, type Verdict, verdictOf } from './groups.js';
import { OutputText } from './output-text.js';
import { VerdictMark } from './verdict-mark.js';

const Row = memo(function Row({ row, verdict }: { row: BatchRow; verdict: Verdict }) {
  const durationMs = row.result?.durationMs;
  return (
    <tr>
      <td>
        <Link href={`/t/${row.terminalId}`}>{plainLabel(row.name)}</Link>
      </td>
      <td>
        <VerdictMark verdict={verdict} />
        <div>{plainLabel(outcomeOf(row))}</div>
      </td>
      <td className="batch-number">{typeof durationMs === 'number' ? durationOf(durationMs) : ''}</td>
      <td>
        <OutputText text={row.output} isCut={row.result?.truncated} />
      </td>
    </tr>
  );
});

/** Each terminal of the run. */
export function RowTable({ rows }: { rows: readonly BatchRow[] }) {
  const reference = useMemo(() => referenceOf(rows), [rows]);
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">terminal</th>
          <th scope="col">outcome</th>
          <th scope="col">duration</th>
          <th scope="col" className="batch-output">
            output
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.terminalId} row={row} verdict={verdictOf(row, reference)} />
        ))}
      </tbody>
    </table>
  );
}
