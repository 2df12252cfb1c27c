import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { startFollowing } from './follow.js';
import { Gate } from './login/gate.js';
import { isAt, PAGES } from './pages.js';
import { FaultBoundary } from './parts/fault-boundary.js';
import { queries } from './parts/queries.js';
import { startTheme } from './parts/theme.js';
import './style/base.css';
import './style/shell.css';

startTheme();
// Before anything is drawn, which takes as long as the service takes to answer.
startFollowing();
// A failure shows where the page is drawn.
await PAGES.find((page) => isAt(page, location.pathname))
  ?.load()
  .catch(() => undefined);
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <FaultBoundary>
      <QueryClientProvider client={queries}>
        <Gate>
          <App />
        </Gate>
      </QueryClientProvider>
    </FaultBoundary>
  </StrictMode>,
);
