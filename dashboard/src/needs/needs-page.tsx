import { type FocusEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useNow } from '../fleet/use-now.js';
import { shortSpan } from '../fleet/words.js';
import { useShortcuts } from '../parts/shortcuts.js';
import { say } from '../parts/toasts.js';
import '../style/needs.css';
import { AnswerHistory } from './answer-history.js';
import { NeedCard } from './need-card.js';
import type { Entry } from './needs.js';
import { endSnoozes, markDone, skip, snooze, undoDone, useNeeds } from './needs-store.js';
import { NoticePanel } from './notice-panel.js';
import { nextAfter, shownOf } from './shown.js';
import { useWanted } from './wanted.js';

/** Minutes of a snooze by key; the buttons offer others. */
const SNOOZE_BY_KEY_MIN = 15;

function cardOf(key: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-need="${CSS.escape(key)}"]`);
}

function focusCard(key: string | undefined): void {
  if (key === undefined) return;
  const card = cardOf(key);
  card?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: 'nearest' });
}

function Empty() {
  const isKnown = useNeeds((state) => state.isKnown);
  if (!isKnown) return <p className="empty">Connecting…</p>;
  return (
    <div className="empty">
      <h2>Nobody needs you</h2>
      <p>
        Agents that wait for an answer appear here, the oldest first, and so do commands that failed and
        terminals that exited badly.
      </p>
      <p>
        <Link href="/">Go to the wall</Link> <kbd>g w</kbd>
      </p>
    </div>
  );
}

function Snoozed() {
  const snoozed = useNeeds((state) => state.snoozed);
  if (snoozed.length === 0) return null;
  return (
    <span>
      {snoozed.length} snoozed{' '}
      <button type="button" onClick={endSnoozes}>
        Bring back
      </button>
    </span>
  );
}

/** Applies each key to the card that has the focus; without one, focuses a card. */
function useCardKeys(shown: readonly Entry[], active: { current: string | undefined }): void {
  const [, go] = useLocation();
  const index = () => shown.findIndex(({ need }) => need.key === active.current);
  const step = (by: number) => {
    const at = index();
    const next = at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by));
    focusCard(shown[next]?.need.key);
  };
  const act = (work: (key: string) => void) => {
    const entry = shown[index()];
    // Without a focused card, a key that changes something would hit a card that the person does not look at.
    if (entry && cardOf(entry.need.key)?.contains(document.activeElement)) work(entry.need.key);
    else step(0);
  };
  useShortcuts({
    j: () => step(1),
    ArrowDown: () => step(1),
    k: () => step(-1),
    ArrowUp: () => step(-1),
    n: () => focusCard(nextAfter(shown, active.current)?.need.key),
    'shift+n': () => focusCard(nextAfter(shown, active.current, -1)?.need.key),
    a: () =>
      act((key) => {
        const box = cardOf(key)?.querySelector('textarea');
        if (box) box.focus();
        else say('It has exited, and takes no answer');
      }),
    z: () => act((key) => snooze(key, SNOOZE_BY_KEY_MIN)),
    d: () => act(markDone),
    s: () =>
      act((key) => {
        const at = index();
        focusCard((shown[at + 1] ?? shown[at - 1])?.need.key);
        skip(key);
      }),
    u: () => say(undoDone() === undefined ? 'There is nothing to undo' : 'It is back'),
    o: () => act((key) => go(`/t/${shown.find(({ need }) => need.key === key)?.need.terminalId}`)),
  });
}

/** The queue of needs, to deal with one after the other. */
export default function NeedsPage() {
  const entries = useNeeds((state) => state.entries);
  const count = useNeeds((state) => state.count);
  const lastDone = useNeeds((state) => state.lastDone);
  const wanted = useWanted((state) => state.key);
  const [typedInto, setTypedInto] = useState<string>();
  const before = useRef<readonly Entry[]>([]);
  const active = useRef<string>(undefined);
  const place = useRef(0);
  const shown = shownOf(entries, before.current, typedInto);
  const queued = new Set(entries.map(({ need }) => need.key));
  const oldest = entries.find(({ isCounted }) => isCounted)?.need.since;
  const age = useNow((now) => (oldest === undefined ? '' : shortSpan(Math.max(0, now - oldest))));

  useLayoutEffect(() => {
    before.current = shown;
    const at = shown.findIndex(({ need }) => need.key === active.current);
    if (at >= 0) place.current = at;
    // The card that had the focus has gone, and the focus with it.
    else if (active.current !== undefined && document.activeElement === document.body) {
      focusCard(shown[Math.min(place.current, shown.length - 1)]?.need.key);
    }
  }, [shown]);
  useEffect(() => {
    if (wanted === undefined || !cardOf(wanted)) return;
    focusCard(wanted);
    useWanted.setState({ key: undefined });
  }, [wanted]);
  useCardKeys(shown, active);

  const onSent = useCallback((key: string) => {
    const { activeElement } = document;
    // The answer may take long: a person who has gone on to another card types there.
    if (activeElement !== document.body && !cardOf(key)?.contains(activeElement)) return;
    focusCard(nextAfter(before.current, key)?.need.key);
  }, []);
  const onFocus = ({ target }: FocusEvent<HTMLElement>) => {
    active.current = target.closest<HTMLElement>('[data-need]')?.dataset.need;
    if (target instanceof HTMLTextAreaElement) setTypedInto(active.current);
  };

  return (
    <main className="needs">
      <header className="bar">
        <h1>Needs you</h1>
        <span className="count" role="status">
          {count > 0 && `${count.toLocaleString()}, the oldest ${age}`}
        </span>
        <Snoozed />
        {lastDone !== undefined && (
          <button type="button" title="Takes the last Done back (u)" onClick={undoDone}>
            Undo done
          </button>
        )}
        <NoticePanel />
      </header>
      <div className="needs-scroll">
        {shown.length === 0 && <Empty />}
        <ul onFocus={onFocus} onBlur={() => setTypedInto(undefined)}>
          {shown.map((entry) => (
            <NeedCard
              key={entry.need.key}
              entry={entry}
              isOver={!queued.has(entry.need.key)}
              onSent={onSent}
            />
          ))}
        </ul>
        <AnswerHistory />
      </div>
    </main>
  );
}
