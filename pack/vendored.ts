// Library files that lie beside the bundle: `bundle/vendor` holds each file at its path in `node_modules`.

const EXECUTABLE = 0o755;

const FONTS = ['', 'Mono', 'Mono-Bold', 'Mono-Oblique', 'Mono-BoldOblique'].map(
  (style) => `dejavu-fonts-ttf/ttf/DejaVuSans${style}.ttf`,
);

/** Machines for which node-pty's native part is copied. The files for Windows are left out: 24 of the 26 MB. */
const PTY_MACHINES = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];
const PTY_HELPERS = ['darwin-x64', 'darwin-arm64'];

/** Files that the page of the API's reference loads. */
const REFERENCE_PAGE = [
  ...['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css', 'index.css'],
  ...['logo.svg', 'favicon-16x16.png', 'favicon-32x32.png'],
].map((name) => `@fastify/swagger-ui/static/${name}`);

/** Files that are copied in compressed form, a third as large, as `<name>.br`: only our own loader reads them. */
export const COMPRESSED = ['canvaskit-wasm/bin/canvaskit.wasm'];

/** Files that are copied, by path in `node_modules`, with the mode where it matters. */
export const VENDORED: readonly (readonly [path: string, mode?: number])[] = [
  ...FONTS.map((path) => [path] as const),
  ['dejavu-fonts-ttf/LICENSE'],
  ['canvaskit-wasm/bin/canvaskit.js'],
  ...PTY_MACHINES.map((machine) => [`node-pty/prebuilds/${machine}/pty.node`] as const),
  ...PTY_HELPERS.map((machine) => [`node-pty/prebuilds/${machine}/spawn-helper`, EXECUTABLE] as const),
  ['node-pty/LICENSE'],
  ...REFERENCE_PAGE.map((path) => [path] as const),
  ['@fastify/swagger-ui/LICENSE'],
];

/** Modules of the bundle that look for files beside themselves, and find them in `bundle/vendor`. */
export const LIBRARY_FILES = [
  'vendor/@fastify/swagger-ui/index.js',
  'vendor/@fastify/swagger-ui/lib/routes.js',
  'vendor/piscina/dist/index.js',
];

/** Modules that need no files of their own as this project uses them, each with the reason. */
export const NO_FILES_NEEDED = [
  // Names `__dirname` only in a comment.
  'vendor/commander/lib/command.js',
  // Reads the package.json of the program only for a document without `info`; our document has `info`.
  'vendor/@fastify/swagger/lib/util/read-package-json.js',
  // Start a thread only for a log transport; our log is written directly.
  'vendor/pino/lib/transport.js',
  'vendor/thread-stream/index.js',
];
