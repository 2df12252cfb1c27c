import type { RecordingEvent, RecordingFacts } from '../../../contract/recording.js';
import { type HeldEvents, noHeldEvents } from '../../redaction/redacted-events.js';
import { type AnsiState, firstAnsiState } from './ansi-html.js';

/** State of a renderer from one slice of events to the next. */
export interface ExportProgress {
  /** Number of events rendered so far. */
  events: number;
  ansi: AnsiState;
  /** Events that are read and wait to be redacted. */
  held: HeldEvents;
}

export function firstProgress(): ExportProgress {
  return { events: 0, ansi: firstAnsiState(), held: noHeldEvents() };
}

/** One export format. */
export interface Renderer {
  /** Renders the beginning. May change its own state in `progress`, as `render` may. */
  begin(facts: RecordingFacts, progress: ExportProgress): string;
  /** Renders a slice of events. */
  render(events: readonly RecordingEvent[], progress: ExportProgress): string;
  end(progress: ExportProgress): string;
}

/** Returns the data of the output events. */
export function outputOf(events: readonly RecordingEvent[]): string[] {
  return events.filter(({ event_type }) => event_type === 'output').map(({ data }) => data);
}

/** Returns the title of a recording, or a default title. */
export function titleOf({ metadata, terminal_id }: RecordingFacts): string {
  return metadata.title ?? `Recording of ${terminal_id}`;
}
