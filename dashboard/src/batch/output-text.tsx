import { useState } from 'react';

const FIRST_LINES = 3;

/** Output of a command: its first lines, and all of it on demand. */
export function OutputText({ text, isCut = false }: { text: string; isCut?: boolean | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const lines = text.trimEnd().split('\n');
  if (text.trim() === '') return <span className="count">no output</span>;
  const more = lines.length - FIRST_LINES;
  return (
    <>
      {isCut && <div className="count">the beginning was left out, the output is too long</div>}
      <pre>{(isOpen ? lines : lines.slice(0, FIRST_LINES)).join('\n')}</pre>
      {more > 0 && (
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'fewer lines' : `${more.toLocaleString()} more ${more === 1 ? 'line' : 'lines'}`}
        </button>
      )}
    </>
  );
}
