import { Link } from 'wouter';
import type { RecordingSummary } from '../../../src/client/browser.js';
import { useFleet } from '../fleet/fleet-store.js';
import { sizeOf } from '../fleet/sizes.js';
import { durationOf, plainLabel } from '../fleet/words.js';
import { ExportButton } from './export-button.js';
import { lengthOf, type RecordingRow } from './recording-list.js';

interface RecordingsTableProps {
  rows: readonly RecordingRow[];
  onStop: (id: string) => void;
  onDelete: (recording: RecordingSummary) => void;
}

export function RecordingsTable({ rows, onStop, onDelete }: RecordingsTableProps) {
  return (
    <div className="recordings-scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">terminal</th>
            <th scope="col">started</th>
            <th scope="col" className="recordings-number">
              duration
            </th>
            <th scope="col" className="recordings-number">
              size
            </th>
            <th scope="col">
              <span className="unseen">actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) =>
            row.kind === 'active' ? (
              <tr key={row.id}>
                <td colSpan={4}>
                  <span className="status status-working">
                    <span aria-hidden="true">●</span> recording
                  </span>{' '}
                  <code>{row.id}</code>
                </td>
                <td>
                  <button type="button" onClick={() => onStop(row.id)}>
                    Stop
                  </button>
                </td>
              </tr>
            ) : (
              <StoppedRow key={row.id} recording={row.recording} onDelete={onDelete} />
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function StoppedRow({
  recording,
  onDelete,
}: {
  recording: RecordingSummary;
  onDelete: (recording: RecordingSummary) => void;
}) {
  const { terminalId, startTime, size, truncated } = recording;
  const terminal = useFleet((state) => state.terminals.get(terminalId));
  const length = lengthOf(recording);
  return (
    <tr>
      <td>
        {terminal ? (
          <Link href={`/t/${terminalId}`}>{plainLabel(terminal.name)}</Link>
        ) : (
          <>
            {terminalId} <span className="count">(gone)</span>
          </>
        )}
        {truncated && <span className="recordings-cut"> ended early: not all could be written</span>}
      </td>
      <td>
        <Link href={`/recordings/${recording.id}`}>
          <time dateTime={startTime}>{new Date(startTime).toLocaleString()}</time>
        </Link>
      </td>
      <td className="recordings-number">{length === undefined ? 'unknown' : durationOf(length)}</td>
      <td className="recordings-number">{sizeOf(size)}</td>
      <td>
        <Link href={`/recordings/${recording.id}`}>Play</Link> <ExportButton recording={recording} />{' '}
        <button type="button" onClick={() => onDelete(recording)}>
          Delete
        </button>
      </td>
    </tr>
  );
}
