import type { RecordingEvent, RecordingFacts } from '../../../contract/recording.js';
import { type AnsiState, firstAnsiState } from './ansi-html.js';

/** What a renderer carries from one slice of events to the next. */
export interface Progress {
  /** Events rendered before. */
  events: number;
  ansi: AnsiState;
}

export function firstProgress(): Progress {
  return { events: 0, ansi: firstAnsiState() };
}

/** One export format. */
export interface Renderer {
  begin(facts: RecordingFacts): string;
  /** May change what it carries of its own in `progress`. */
  render(events: readonly RecordingEvent[], progress: Progress): string;
  end(progress: Progress): string;
}

/** The data of the output among the events. */
export function outputOf(events: readonly RecordingEvent[]): string[] {
  return events.filter(({ event_type }) => event_type === 'output').map(({ data }) => data);
}

/** What a recording is called where it has no title of its own. */
export function titleOf({ metadata, terminal_id }: RecordingFacts): string {
  return metadata.title ?? `Recording of ${terminal_id}`;
}
