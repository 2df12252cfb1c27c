import { Link } from 'wouter';
import type { SearchHit } from '../../../src/client/browser.js';
import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';
import { Age } from '../parts/age.js';
import { markedLines } from './marked.js';
import { TYPE_NAMES } from './use-search-query.js';

/** Matching text, and its terminal, which may be gone. */
export function Hit({ hit }: { hit: SearchHit }) {
  const { terminalId, type, timestamp, content } = hit.document;
  const terminal = useFleet((state) => state.terminals.get(terminalId));
  const lines = markedLines(content, hit.matches);
  return (
    <li className="hit">
      <div className="hit-head">
        {terminal ? (
          <Link href={`/t/${terminalId}`} className="hit-link">
            {plainLabel(terminal.name)}
          </Link>
        ) : (
          // The terminal is gone, so there is no page to link to.
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys reach it like the others
          <span className="hit-link" tabIndex={0}>
            {terminalId} <span className="count">(gone)</span>
          </span>
        )}
        {terminal?.status === 'exited' && <span className="count">exited</span>}
        <span className="count">{TYPE_NAMES[type]}</span>
        <Age since={Date.parse(timestamp)} />
      </div>
      <pre>
        {lines.map(({ at, stretches }) => (
          <div key={at}>
            {stretches.map(({ text, isMatch }, index) =>
              isMatch ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: the stretches of a line never move
                <mark key={index}>{text}</mark>
              ) : (
                text
              ),
            )}
          </div>
        ))}
      </pre>
    </li>
  );
}
