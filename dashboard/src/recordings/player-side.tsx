import { type KeyboardEvent, type Ref, useDeferredValue, useMemo, useRef, useState } from 'react';
import { plainLabel } from '../fleet/words.js';
import type { CastEvent } from '../player/messages.js';
import { clockTime, type Mark } from './cast.js';
import { CastText, type Hit } from './cast-text.js';

/** Most matches that are listed; a longer text has fewer. */
const MAX_HITS = 200;

interface PlayerSideProps {
  events: readonly CastEvent[];
  marks: readonly Mark[];
  inputRef: Ref<HTMLInputElement>;
  /** Goes to a second of the recording. */
  onSeek: (second: number) => void;
  /** Gives the focus back to the player's own keys. */
  onLeave: () => void;
}

const KIND_SIGNS = { command: '❯', wait: '◆' } as const;
const KIND_WORDS = { command: 'command', wait: 'agent waits' } as const;

/** Contents of a recording: its commands and waits, or the places at which a text was printed. */
export function PlayerSide({ events, marks, inputRef, onSeek, onLeave }: PlayerSideProps) {
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text);
  const [current, setCurrent] = useState(-1);
  const isFinding = wanted !== '';
  const find = useMemo(() => finderIn(events), [events]);
  const hits = useMemo(() => find(wanted), [find, wanted]);
  const listRef = useRef<HTMLOListElement>(null);

  const go = (at: number, among = hits) => {
    const hit = among[at];
    if (!hit) return;
    setCurrent(at);
    onSeek(hit.at);
    listRef.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      // Enter may come before the list has caught up with the typed text.
      const among = text === wanted ? hits : find(text);
      const next = current + (event.shiftKey ? -1 : 1);
      go((next + among.length) % Math.max(1, among.length), among);
    } else if (event.key === 'Escape') {
      setText('');
      onLeave();
    } else return;
    event.preventDefault();
  };
  return (
    <aside className="player-side" aria-label="In this recording">
      <search>
        <input
          ref={inputRef}
          type="search"
          aria-label="Find in this recording"
          placeholder="find in what was printed"
          spellCheck={false}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setCurrent(-1);
          }}
          onKeyDown={onKeyDown}
        />
        <span className="count" role="status">
          {isFinding && countOf(hits.length, current)}
        </span>
      </search>
      {isFinding ? (
        <ol ref={listRef} className="player-marks" aria-label="Found">
          {hits.map(({ at, line }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the place in the list is what a hit is known by
            <li key={index}>
              <button
                type="button"
                aria-current={index === current ? 'true' : undefined}
                onClick={() => go(index)}
              >
                <span className="count">{clockTime(at)}</span> <code>{plainLabel(line)}</code>
              </button>
            </li>
          ))}
        </ol>
      ) : (
        marks.length > 0 && (
          <ol className="player-marks" aria-label="Commands and waits">
            {marks.map(({ at, kind, label }) => (
              <li key={`${at} ${kind} ${label}`}>
                <button type="button" onClick={() => onSeek(at)}>
                  <span className="count">{clockTime(at)}</span>
                  <span className={kind === 'wait' ? 'status-waiting' : 'count'} aria-hidden="true">
                    {KIND_SIGNS[kind]}
                  </span>
                  <span className="unseen">{KIND_WORDS[kind]}</span>
                  {kind === 'command' ? <code>{plainLabel(label)}</code> : <span>{plainLabel(label)}</span>}
                </button>
              </li>
            ))}
          </ol>
        )
      )}
    </aside>
  );
}

/** Returns a function that finds a text in a recording; prepared at the first call, since a recording may have many megabytes. */
function finderIn(events: readonly CastEvent[]): (text: string) => Hit[] {
  let castText: CastText | undefined;
  return (text) => {
    if (text === '') return [];
    castText ??= new CastText(events);
    return castText.find(text, MAX_HITS);
  };
}

function countOf(found: number, current: number): string {
  if (found === 0) return 'none';
  const all = found === MAX_HITS ? `${found} or more` : String(found);
  return current < 0 ? all : `${current + 1} of ${all}`;
}
