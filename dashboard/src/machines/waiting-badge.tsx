import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { showDesktopNotice } from '../needs/desktop-notice.js';
import { say } from '../parts/toasts.js';
import { useFleetNews, useWaiting } from './use-fleet.js';
import { titleOfJoin, titleOfUse } from './waiting-words.js';

/** The number of requests that wait for a person at this machine. On every page, a line announces each new one. */
export default function WaitingBadge() {
  useFleetNews();
  const { requests, uses } = useWaiting();
  const [, go] = useLocation();
  const told = useRef(new Set<string>());
  useEffect(() => {
    const titles = [
      ...requests.map((request) => [request.id, titleOfJoin(request)] as const),
      ...uses.map((use) => [use.id, titleOfUse(use)] as const),
    ];
    for (const [id, title] of titles) {
      if (told.current.has(id)) continue;
      told.current.add(id);
      // The Machines page shows new requests itself.
      if (location.pathname === '/machines' && document.hasFocus()) continue;
      say(`${title}. Answer on the page Machines`);
      showDesktopNotice({ title: 'auto-terminal', body: title, tag: id }, () => go('/machines'));
    }
  }, [requests, uses, go]);
  const count = requests.length + uses.length;
  if (count === 0) return null;
  return (
    <span className="badge">
      <span aria-hidden="true">◆ </span>
      {count.toLocaleString()}
      <span className="unseen"> wait for you</span>
    </span>
  );
}
