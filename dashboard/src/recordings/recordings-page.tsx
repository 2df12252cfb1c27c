import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { RecordingSummary } from '../../../src/client/browser.js';
import { useServiceEvents } from '../fleet/event-bus.js';
import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';
import { attempt } from '../parts/toasts.js';
import { service, wordsOf } from '../service.js';
import '../style/recordings.css';
import { DeleteQuestion } from './delete-question.js';
import { recordingRows } from './recording-list.js';
import { RecordingsTable } from './recordings-table.js';
import { StartRecording } from './start-recording.js';

const REFRESH_MS = 5_000;

/** The running recordings, and the kept recordings. */
export default function RecordingsPage() {
  const [doomed, setDoomed] = useState<RecordingSummary>();
  const doomedName = useFleet(({ terminals }) => doomed && terminals.get(doomed.terminalId)?.name);
  const { data, error, refetch } = useQuery({
    queryKey: ['recordings'],
    queryFn: async ({ signal }) => {
      // Active recordings are read first: a recording that stops in between is then in the list.
      const active = await service.recordings.running({ signal });
      return { active, stopped: await service.recordings.list({ signal }) };
    },
    refetchInterval: REFRESH_MS,
  });
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => service.health({ signal }),
    refetchInterval: 10_000,
  });
  const rows = useMemo(() => data && recordingRows(data.active, data.stopped), [data]);
  const again = () => void refetch();
  useServiceEvents('recording.', again);
  const stop = async (id: string) => {
    await attempt('The recording could not be stopped', service.recordings.stop(id));
    again();
  };
  return (
    <main className="recordings">
      <header className="bar">
        <h1>Recordings</h1>
        <StartRecording onStarted={again} />
        {rows && <span className="count">{rows.length.toLocaleString()}</span>}
      </header>
      {health.data?.details?.recordings === 'full' && (
        <p className="recordings-note" role="status">
          The disk has no room: no recording can start or go on.
        </p>
      )}
      {error && (
        <p className="recordings-note" role="alert">
          {wordsOf(error)}
        </p>
      )}
      {rows?.length === 0 && (
        <p className="empty">Nothing has been recorded. Choose a terminal above, then Record.</p>
      )}
      {rows && rows.length > 0 && <RecordingsTable rows={rows} onStop={stop} onDelete={setDoomed} />}
      {doomed && (
        <DeleteQuestion
          recording={doomed}
          name={plainLabel(doomedName ?? doomed.terminalId)}
          onClose={() => setDoomed(undefined)}
          onDeleted={again}
        />
      )}
    </main>
  );
}
