import { expect } from 'vitest';
import type { RecordingEvent } from '#dist/contract/recording.js';
import type { Api } from './http.js';

/** A recording as `GET /api/recordings/:id` returns it. */
export interface FullRecording {
  id: string;
  terminal_id: string;
  start_time: string;
  end_time: string | null;
  events: RecordingEvent[];
  metadata: {
    title: string | null;
    shell_type: string | null;
    initial_size: { cols: number; rows: number };
  };
  size: number;
  compressed: boolean;
}

export const ALL_OPTIONS = {
  ...{ include_output: true, include_input: true, include_resize: true },
  ...{ compression: 'gzip', auto_stop: false },
};

/** Starts recording a terminal; resolves with the recording's id. */
export async function startRecording(api: Api, terminalId: string, options?: object): Promise<string> {
  const answer = await api.post<{ recordingId: string }>('/api/recordings/start', {
    terminal_id: terminalId,
    options,
  });
  expect(answer.status).toBe(201);
  return answer.body.recordingId;
}

/** Stops a recording; resolves with it, after checking the facts in the answer to the stop. */
export async function stopRecording(api: Api, id: string): Promise<FullRecording> {
  const { status, body } = await api.post(`/api/recordings/stop/${id}`);
  expect(status).toBe(200);
  const recording = (await api.get<FullRecording>(`/api/recordings/${id}`)).body;
  expect(body).toEqual({
    recordingId: id,
    status: 'stopped',
    size: recording.size,
    eventCount: recording.events.length,
  });
  return recording;
}

/** All data of one type of events, joined. */
export function dataOf({ events }: FullRecording, type: RecordingEvent['event_type']): string {
  return events
    .filter(({ event_type }) => event_type === type)
    .map(({ data }) => data)
    .join('');
}
