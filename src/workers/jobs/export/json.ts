import type { Renderer } from './renderer.js';

/** `JSON.stringify(recording, null, 2)` in pieces, with the events, which are many, at the end. */
export const renderJson: Renderer = {
  begin: (facts) => `${JSON.stringify(facts, null, 2).slice(0, -2)},\n  "events": [`,
  render: (events, { events: before }) =>
    events
      .map((event, index) => {
        const lines = JSON.stringify(event, null, 2).replaceAll('\n', '\n    ');
        return `${before + index === 0 ? '' : ','}\n    ${lines}`;
      })
      .join(''),
  end: ({ events }) => `${events === 0 ? '' : '\n  '}]\n}\n`,
};
