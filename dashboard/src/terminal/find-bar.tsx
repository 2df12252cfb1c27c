import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Matches, XtermScreen } from './xterm-screen.js';

interface FindBarProps {
  /**
   * Id of a terminal of this machine; absent for a terminal of another machine, whose earlier output is not searched
   * from here.
   */
  terminalId?: string;
  screen: XtermScreen;
  matches: Matches | undefined;
  onClose: () => void;
}

/** Returns the address of the search for the same text in all output of the terminal. */
function searchOf(terminalId: string, text: string): string {
  return `/search?${new URLSearchParams({ q: text, terminal: terminalId })}`;
}

function countOf({ at, count }: Matches): string {
  if (count === 0) return 'none';
  return at < 0 ? `${count.toLocaleString()} and more` : `${at + 1} of ${count.toLocaleString()}`;
}

/** Finds text in the lines that this window has of the terminal, and links to the search of all output. */
export function FindBar({ terminalId, screen, matches, onClose }: FindBarProps) {
  const ref = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  useEffect(() => {
    ref.current?.focus();
    return () => screen.endFind();
  }, [screen]);
  return (
    <search className="find-bar">
      <input
        ref={ref}
        type="search"
        aria-label="Find in this terminal"
        placeholder="find"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          // Searches from the end: people usually look for recent output.
          screen.find(target.value, 'previous');
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') screen.find(text, event.shiftKey ? 'next' : 'previous');
          else if (event.key === 'Escape') onClose();
          else return;
          event.preventDefault();
        }}
      />
      <span className="count" role="status">
        {text !== '' && matches ? countOf(matches) : ''}
      </span>
      <button type="button" aria-label="Previous match" onClick={() => screen.find(text, 'previous')}>
        ↑
      </button>
      <button type="button" aria-label="Next match" onClick={() => screen.find(text, 'next')}>
        ↓
      </button>
      {terminalId !== undefined && <Link href={searchOf(terminalId, text)}>all output</Link>}
      <button type="button" aria-label="End the search" onClick={onClose}>
        ✕
      </button>
    </search>
  );
}
