import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useShortcuts } from '../parts/shortcuts.js';
import { keepNeeds } from './needs-store.js';
import { Notifier, useVoice } from './notifier.js';
import { showNeed } from './wanted.js';

/** Keeps the queue, and announces new needs, on every page. */
export function NeedsWatch() {
  const [, go] = useLocation();
  const text = useVoice((state) => state.text);
  useEffect(() => {
    const ending = new AbortController();
    const notifier = new Notifier(ending.signal, ({ key }) => showNeed(go, key));
    keepNeeds(ending.signal, (needs) => notifier.take(needs));
    return () => ending.abort();
  }, [go]);
  useShortcuts({ n: () => showNeed(go) });
  return (
    <div className="unseen" role="status" aria-live="polite">
      {text}
    </div>
  );
}
