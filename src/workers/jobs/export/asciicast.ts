import type { RecordingEvent } from '../../../contract/recording.js';
import { type Renderer, titleOf } from './renderer.js';

/** Codes of the kinds of events that an export in this format has; players stop at marks, or show them on the time line. */
const CODES: Partial<Record<RecordingEvent['event_type'], string>> = { output: 'o', mark: 'm' };

/** asciicast v2: a header line, then a line for each output event and each mark, with its time in seconds. */
export const renderAsciicast: Renderer = {
  begin: (facts) => {
    const { initial_size: size, shell_type: shell } = facts.metadata;
    const header = {
      version: 2,
      width: size.cols,
      height: size.rows,
      timestamp: Math.floor(Date.parse(facts.start_time) / 1_000),
      title: titleOf(facts),
      env: { SHELL: shell ?? '', TERM: 'xterm-256color' },
    };
    return `${JSON.stringify(header)}\n`;
  },
  render: (events) =>
    events
      .map(({ event_type, timestamp, data }) => {
        const code = CODES[event_type];
        return code === undefined ? '' : `${JSON.stringify([timestamp / 1_000, code, data])}\n`;
      })
      .join(''),
  end: () => '',
};
