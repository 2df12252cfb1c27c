import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dashboard` finds the service. */
const SERVICE = process.env.AUTO_TERMINAL_URL ?? 'http://127.0.0.1:42030';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    // The player has a document, and so a policy, of its own.
    rolldownOptions: { input: ['index.html', 'player.html'].map((name) => join(import.meta.dirname, name)) },
    // Node 20 is the floor for the service; these browsers are as old.
    target: ['chrome115', 'firefox115', 'safari16.5'],
    // The polyfill would be an inline script, which the page's policy forbids.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Licences of what is in the bundles ask for it.
    license: { fileName: 'licenses.txt' },
  },
  server: {
    port: 42_033,
    strictPort: true,
    proxy: {
      // The service takes requests of its own origin only.
      '/api': { target: SERVICE, changeOrigin: true, ws: true, headers: { origin: SERVICE } },
      '/health': { target: SERVICE, changeOrigin: true },
      '/session': { target: SERVICE, changeOrigin: true, headers: { origin: SERVICE } },
    },
  },
});
