import { outputOf, type Renderer } from './renderer.js';

/** A header of comment lines, then the raw output, escape sequences included. */
export const renderText: Renderer = {
  begin: ({ id, terminal_id, start_time, end_time, event_count }) =>
    [
      `# Recording: ${id}`,
      `# Terminal: ${terminal_id}`,
      `# Start: ${start_time}`,
      `# End: ${end_time}`,
      `# Events: ${event_count}`,
      '\n',
    ].join('\n'),
  render: (events) => outputOf(events).join(''),
  end: () => '',
};
