import { useQuery } from '@tanstack/react-query';
import { useServiceEvents } from '../fleet/event-bus.js';
import { queries } from '../parts/queries.js';
import { attempt, say } from '../parts/toasts.js';
import { service } from '../service.js';

const keyOf = (terminalId: string) => ['recording', terminalId];

/** Returns whether the terminal is recorded, which others may start and stop, too, and a function that starts or stops it. */
export function useRecording(terminalId: string): { isRecording: boolean; toggle: () => Promise<void> } {
  const { data: recordingId } = useQuery({
    queryKey: keyOf(terminalId),
    queryFn: async ({ signal }) => {
      const { recordingId = null } = await service.terminals.get(terminalId).recording({ signal });
      return recordingId;
    },
  });
  useServiceEvents('recording.', (event) => {
    if (event.terminalId !== terminalId) return;
    const id = event.type === 'recording.started' ? String(event.data.recordingId) : null;
    queries.setQueryData(keyOf(terminalId), id);
  });
  const start = async () => {
    if (await attempt('Not recorded', service.terminals.get(terminalId).record({ include_marks: true })))
      say('Recording');
  };
  const stop = async (id: string) => {
    if (await attempt('Not stopped', service.recordings.stop(id))) say('Recording stopped and kept');
  };
  return {
    isRecording: Boolean(recordingId),
    toggle: () => (recordingId ? stop(recordingId) : start()),
  };
}
