import { useQuery } from '@tanstack/react-query';
import type { RecordingInfo } from '../../../src/client/browser.js';
import type { Cast } from '../player/messages.js';
import { service } from '../service.js';
import { castOf, type Mark, marksOf } from './cast.js';

/** A player keeps the whole recording in memory, several times. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_COMMANDS = 1_000;

export interface LoadedRecording {
  info: RecordingInfo;
  cast: Cast;
  marks: Mark[];
}

async function load(id: string, signal: AbortSignal): Promise<LoadedRecording> {
  const info = await service.recordings.info(id, { signal });
  if (info.size > MAX_BYTES) throw new Error('The recording is too long for the player. Export it instead.');
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of service.recordings.export(id, 'asciicast', { signal })) {
    text += decoder.decode(piece, { stream: true });
  }
  const from = Date.parse(info.startTime);
  const to = info.endTime === null ? Infinity : Date.parse(info.endTime);
  // The commands are lost with their terminal; the recording is then played without their marks.
  const list = await service.terminals
    .get(info.terminalId)
    .commands({ limit: MAX_COMMANDS, signal })
    .catch(() => undefined);
  const { cast, waits } = castOf(text + decoder.decode());
  // The library refuses a recording without events.
  if (cast.events.length === 0) throw new Error('Nothing was printed in this recording.');
  return { info, cast, marks: marksOf(list?.commands ?? [], waits, from, to) };
}

export function useRecording(id: string) {
  return useQuery({
    queryKey: ['recording', id],
    queryFn: ({ signal }) => load(id, signal),
    // A stopped recording does not change.
    staleTime: 'static',
  });
}
