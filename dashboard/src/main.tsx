import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { Gate } from './login/gate.js';
import { queries } from './parts/queries.js';
import { startTheme } from './parts/theme.js';
import './style/base.css';
import './style/shell.css';

startTheme();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Gate>
        <App />
      </Gate>
    </QueryClientProvider>
  </StrictMode>,
);
