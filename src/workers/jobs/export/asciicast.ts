import { type Renderer, titleOf } from './renderer.js';

/** asciicast v2: a header line, then a line for each output event, with its time in seconds. */
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
      .filter(({ event_type }) => event_type === 'output')
      .map(({ timestamp, data }) => `${JSON.stringify([timestamp / 1_000, 'o', data])}\n`)
      .join(''),
  end: () => '',
};
