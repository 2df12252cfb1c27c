import type { ActiveRecording, ExportFormat, RecordingSummary } from '../../../src/client/browser.js';

/** A line of the list. */
export type RecordingRow =
  | { kind: 'active'; id: string; recording: ActiveRecording }
  | { kind: 'stopped'; id: string; recording: RecordingSummary };

/** Returns the running recordings, then the others, both newest first. */
export function recordingRows(
  active: readonly ActiveRecording[],
  stopped: readonly RecordingSummary[],
): RecordingRow[] {
  // A recording that has just been stopped may be in both answers.
  const over = new Set(stopped.map(({ id }) => id));
  const running = newestFirst(active).filter(({ id }) => !over.has(id));
  return [
    ...running.map((recording): RecordingRow => ({ kind: 'active', id: recording.id, recording })),
    ...newestFirst(stopped).map(
      (recording): RecordingRow => ({ kind: 'stopped', id: recording.id, recording }),
    ),
  ];
}

function newestFirst<Each extends { startTime: string }>(recordings: readonly Each[]): Each[] {
  return recordings.toSorted((a, b) => Date.parse(b.startTime) - Date.parse(a.startTime));
}

/** Returns how long a recording is, in milliseconds; undefined if its end is not known. */
export function lengthOf({ startTime, endTime }: RecordingSummary): number | undefined {
  return endTime === null ? undefined : Math.max(0, Date.parse(endTime) - Date.parse(startTime));
}

interface Format {
  name: string;
  extension: string;
  type: string;
}

/** The formats of exports, as the page and the files name them. */
export const FORMATS: Record<ExportFormat, Format> = {
  asciicast: { name: 'asciicast', extension: 'cast', type: 'application/x-asciicast' },
  json: { name: 'JSON', extension: 'json', type: 'application/json' },
  text: { name: 'text', extension: 'txt', type: 'text/plain' },
  html: { name: 'HTML', extension: 'html', type: 'text/html' },
};
export const FORMAT_IDS = Object.keys(FORMATS) as ExportFormat[];

/** Returns a name for the file of an export that sorts by time and is safe in any folder. */
export function fileNameOf({ id, startTime }: RecordingSummary, format: ExportFormat): string {
  const stamp = startTime.slice(0, 19).replaceAll(':', '');
  return `recording-${stamp}-${id.slice(0, 8)}.${FORMATS[format].extension}`;
}
