import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';

/** Address at which `npm run dashboard` finds the service. */
const SERVICE = process.env.AUTO_TERMINAL_URL ?? 'http://127.0.0.1:42030';

/** Returns a pattern that matches the path of a module if it contains one of these parts, such as `src/client/`. */
function modulesIn(...parts: string[]): RegExp {
  return new RegExp(parts.map((part) => part.replaceAll('/', '[\\\\/]')).join('|'));
}

/** Modules that request the terminals, before anything can be drawn. */
const START = modulesIn(
  ...['node_modules/react/', 'node_modules/zustand/', 'rolldown/runtime', 'preload-helper'],
  // Without modules that only the pages of a fleet need.
  ...[
    'src/client/(?!browser-fleet|fleet-admin|machine-transport)',
    'src/contract/',
    'src/fleet/',
    'src/needs/needs-store',
    'src/screens/screen-',
  ],
  ...['src/follow', 'src/pages', 'src/service', 'src/refusals', 'src/parts/theme'],
);
/** Modules that draw the frame of all pages, and the parts that many pages have. */
const DRAW = modulesIn(
  ...['node_modules/react-dom/', 'node_modules/scheduler/', 'node_modules/@tanstack/'],
  ...['node_modules/wouter/', 'node_modules/regexparam/'],
  ...['dashboard/src/app', 'dashboard/src/draw', 'dashboard/src/login/', 'dashboard/src/screens/'],
  ...[
    'dashboard/src/parts/(?!command-palette|ask-dialog|form-dialog|terminal-)',
    'dashboard/src/batch/selection',
  ],
);

/** Groups of small modules that several pages share: otherwise each would be a file. */
const SHARED = [
  {
    name: 'forms',
    test: modulesIn(
      ...['settings/section', 'settings/use-settings', 'parts/terminal-select', 'parts/terminal-link'],
      ...[
        'guardrails/secret-dialog',
        'recordings/export-button',
        'parts/form-dialog',
        'parts/terminal-filter',
      ],
    ),
  },
  { name: 'machine-words', test: modulesIn('machines/machine-words', 'machines/waiting-(?:badge|words)') },
  {
    name: 'terminal-parts',
    test: modulesIn(
      'src/terminal/(?:asked|cell-size|find-bar|fit|key-row|output-dialogs|session-state|size-buttons|terminal-status)',
      'src/terminal/(?:escape-twice|open-link|osc52|paste|use-fit|use-terminal(?!-)|use-terminal-actions|use-typed)',
    ),
  },
  { name: 'looks', test: modulesIn('src/looked/') },
  { name: 'shown', test: modulesIn('terminal/held-leases', 'terminal/links') },
];

/** Makes the browser preload the code that draws the page, which is imported only once the page's first code runs. */
const preloadDraw: Plugin = {
  name: 'preload-draw',
  transformIndexHtml: (html, { bundle = {}, path }) => {
    if (path !== '/index.html') return [];
    const chunks = Object.values(bundle).flatMap((each) => (each.type === 'chunk' ? [each] : []));
    const draw = chunks.find(({ name, isDynamicEntry }) => name === 'draw' && isDynamicEntry);
    if (!draw) return [];
    const missing = [draw.fileName, ...draw.imports].filter((file) => !html.includes(file));
    return missing.map(
      (file): HtmlTagDescriptor => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
        injectTo: 'head',
      }),
    );
  },
};

/** A smaller file fits into the first packets of its answer, packed or not, and each packed file is one more to install. */
const PACKED_FROM_BYTES = 8_192;

/** Adds a gzipped form of each larger file, which the service sends to browsers that accept it: a phone may have a slow link. */
const packed: Plugin = {
  name: 'packed',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const file of Object.values(bundle)) {
        const bytes = Buffer.from(file.type === 'chunk' ? file.code : file.source);
        if (bytes.length < PACKED_FROM_BYTES) continue;
        const source = gzipSync(bytes, { level: 9 });
        this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source });
      }
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadDraw, packed],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    rolldownOptions: {
      // The player has a document, and so a policy, of its own.
      input: ['index.html', 'player.html'].map((name) => join(import.meta.dirname, name)),
      // Each file costs the browser a request, which costs more than unneeded bytes in a shared file.
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', test: START, priority: 2 },
            { name: 'draw', test: DRAW, priority: 1 },
            ...SHARED,
          ],
        },
      },
    },
    // Node 20 is the floor for the service; these browsers are as old.
    target: ['chrome115', 'firefox115', 'safari16.5'],
    // The polyfill would be an inline script, which the page's policy forbids.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The licences of the bundled packages require it.
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
