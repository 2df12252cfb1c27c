import type { RunStreamEvent } from '../../../src/client/browser.js';

/** Most characters that a row keeps while the command runs; at the end, the service's output replaces them. */
const MAX_CHARS = 64 * 1024;
const GAP = '\n[output is missing here]\n';

/** Returns the output after the next event of the stream. */
export function outputAfter(output: string, event: RunStreamEvent): string {
  if (event.type === 'output') return (output + event.text).slice(-MAX_CHARS);
  if (event.type === 'gap') return output + GAP;
  if (event.type === 'redrawn') {
    const lines = output.split('\n');
    // An unfinished line counts as a line, too.
    if (lines.at(-1) === '') lines.pop();
    const kept = lines.slice(0, Math.max(0, lines.length - event.lines));
    return kept.map((line) => `${line}\n`).join('');
  }
  return output;
}
