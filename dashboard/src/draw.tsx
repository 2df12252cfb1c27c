import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { Gate } from './login/gate.js';
import { FaultBoundary } from './parts/fault-boundary.js';
import { queries } from './parts/queries.js';

/** Draws the dashboard. */
export function draw(): void {
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
}
