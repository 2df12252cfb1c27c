import { useMemo } from 'react';
import { diffOf, foldedDiff, MAX_DIFF_LINES } from './diff.js';

const SIGNS = { both: ' ', gone: '-', new: '+' } as const;
const WORDS = { both: '', gone: 'only in most: ', new: 'only here: ' } as const;

/** Compares an output with the reference output. */
export function OutputDiff({ reference, output }: { reference: string; output: string }) {
  const lines = useMemo(() => {
    const diff = diffOf(reference, output);
    return diff && foldedDiff(diff);
  }, [reference, output]);
  if (!lines) {
    return <span>Longer than {MAX_DIFF_LINES.toLocaleString()} lines: not compared line by line.</span>;
  }
  return (
    <pre className="diff">
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a comparison never move
        <div key={at} className={`diff-${line.kind}`}>
          {line.kind === 'folded' ? (
            `… ${line.count.toLocaleString()} equal`
          ) : (
            <>
              <span aria-hidden="true">{SIGNS[line.kind]} </span>
              <span className="unseen">{WORDS[line.kind]}</span>
              {line.text}
            </>
          )}
        </div>
      ))}
    </pre>
  );
}
