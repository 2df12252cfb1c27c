import { Link } from 'wouter';
import type { ActiveRecording, RecordingSummary } from '../../../src/client/browser.js';
import { sizeOf } from '../fleet/sizes.js';
import { useNow } from '../fleet/use-now.js';
import { durationOf } from '../fleet/words.js';
import { TerminalLink } from '../parts/terminal-link.js';
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
              <ActiveRow key={row.id} recording={row.recording} onStop={onStop} />
            ) : (
              <StoppedRow key={row.id} recording={row.recording} onDelete={onDelete} />
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function ActiveRow({ recording, onStop }: { recording: ActiveRecording; onStop: (id: string) => void }) {
  const { id, terminalId, startTime, size } = recording;
  const begun = Date.parse(startTime);
  const length = useNow((now) => durationOf(Math.max(0, Math.floor((now - begun) / 1_000) * 1_000)));
  return (
    <tr>
      <td>
        <TerminalLink id={terminalId} />{' '}
        <span className="status status-working">
          <span aria-hidden="true">●</span> recording
        </span>
      </td>
      <td>
        <time dateTime={startTime}>{new Date(begun).toLocaleString()}</time>
      </td>
      <td className="recordings-number">{length}</td>
      <td className="recordings-number">{size === null ? 'unknown' : sizeOf(size)}</td>
      <td>
        <button type="button" onClick={() => onStop(id)}>
          Stop
        </button>
      </td>
    </tr>
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
  const length = lengthOf(recording);
  return (
    <tr>
      <td>
        <TerminalLink id={terminalId} />
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
