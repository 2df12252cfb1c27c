import { useEffect, useState } from 'react';
import type { Look } from './looks.js';
import { beginLook, endLook, lastLook } from './looks-store.js';

/** A shorter absence does not count as away. */
const AWAY_MS = 10_000;

/**
 * Notes that a person looks at a terminal while the component is shown in a window that has the focus. Returns the
 * previous look: later events are news.
 */
export function useLooking(terminalId: string): { before: Look; forget: () => void } {
  const [before, setBefore] = useState(() => lastLook(terminalId));
  useEffect(() => {
    let isHere = false;
    let left: Look | undefined;
    const leave = () => {
      if (!isHere) return;
      isHere = false;
      endLook(terminalId);
      left = lastLook(terminalId);
    };
    const look = () => {
      if (document.hidden || !document.hasFocus()) return leave();
      if (isHere) return;
      isHere = true;
      if (left && Date.now() - left.at > AWAY_MS) setBefore(lastLook(terminalId));
      beginLook(terminalId);
    };
    look();
    const ending = new AbortController();
    const { signal } = ending;
    for (const type of ['focus', 'blur', 'pageshow']) addEventListener(type, look, { signal });
    document.addEventListener('visibilitychange', look, { signal });
    // On `pagehide` the page is still visible and has the focus, so `look` would not detect the end.
    addEventListener('pagehide', leave, { signal });
    return () => {
      ending.abort();
      leave();
    };
  }, [terminalId]);
  return { before, forget: () => setBefore({ at: Date.now() }) };
}
