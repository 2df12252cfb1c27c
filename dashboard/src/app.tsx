import { Suspense, useEffect } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { useFleet } from './fleet/fleet-store.js';
import { startFollowing, stopFollowing } from './follow.js';
import { NeedsWatch } from './needs/needs-watch.js';
import { addressOf, isAt, PAGES } from './pages.js';
import { FaultBoundary } from './parts/fault-boundary.js';
import { KeysHelp } from './parts/keys-help.js';
import { PaletteKey } from './parts/palette-key.js';
import { useShortcuts } from './parts/shortcuts.js';
import { ThemeSelect } from './parts/theme-select.js';
import { Toasts } from './parts/toasts.js';

const LINK_WORDS = { checking: 'connecting', healthy: 'connected', offline: 'offline' } as const;

function Navigation() {
  const [path] = useLocation();
  return (
    <nav aria-label="Pages">
      <ul>
        {PAGES.filter(({ key }) => key).map((page) => (
          <li key={page.path}>
            <Link href={addressOf(page)} aria-current={isAt(page, path) ? 'page' : undefined}>
              {page.name} {page.badge && <page.badge />}
            </Link>
          </li>
        ))}
      </ul>
      <ThemeSelect />
    </nav>
  );
}

/** A note that the service does not answer, shown until it does. */
function OfflineBanner() {
  const link = useFleet((state) => state.link);
  if (link !== 'offline') return null;
  return (
    <div className="banner" role="alert">
      The service does not answer. What you see is from before; the page connects again by itself.
    </div>
  );
}

function StatusBar() {
  const link = useFleet((state) => state.link);
  return (
    <footer>
      <span>
        <kbd>?</kbd> keys
      </span>
      <span className={`link link-${link}`}>{LINK_WORDS[link]}</span>
    </footer>
  );
}

function NotFound() {
  return (
    <main className="empty">
      <h1>There is no such page</h1>
      <p>
        <Link href="/">Go to the wall</Link>
      </p>
    </main>
  );
}

export function App() {
  const [path, go] = useLocation();
  useEffect(() => {
    startFollowing();
    return stopFollowing;
  }, []);
  useShortcuts(
    Object.fromEntries(
      PAGES.flatMap((page) => (page.key ? [[`g ${page.key}`, () => go(addressOf(page))]] : [])),
    ),
  );
  return (
    <div className="shell">
      <Navigation />
      <div className="content">
        <OfflineBanner />
        <FaultBoundary path={path}>
          <Suspense fallback={<main className="empty">…</main>}>
            <Switch>
              {PAGES.map(({ path: pattern, component }) => (
                <Route key={pattern} path={pattern} component={component} />
              ))}
              <Route component={NotFound} />
            </Switch>
          </Suspense>
        </FaultBoundary>
        <StatusBar />
      </div>
      <NeedsWatch />
      <KeysHelp />
      <PaletteKey />
      <Toasts />
    </div>
  );
}
