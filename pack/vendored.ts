// Files of libraries beside the bundle: `bundle/vendor` has them at the paths that they have in `node_modules`.

const EXECUTABLE = 0o755;

const FONTS = ['', 'Mono', 'Mono-Bold', 'Mono-Oblique', 'Mono-BoldOblique'].map(
  (style) => `dejavu-fonts-ttf/ttf/DejaVuSans${style}.ttf`,
);

/** node-pty's native part without that of Windows, which is 24 of its 26 MB. */
const PTY_MACHINES = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];
const PTY_HELPERS = ['darwin-x64', 'darwin-arm64'];

/** Of the page of the API's reference, the files that it loads. */
const REFERENCE_PAGE = [
  ...['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css', 'index.css'],
  ...['logo.svg', 'favicon-16x16.png', 'favicon-32x32.png'],
].map((name) => `@fastify/swagger-ui/static/${name}`);

/** Copied in a form a third as large, with `.br` at the end of the name: nothing reads it but our own loader. */
export const COMPRESSED = ['canvaskit-wasm/bin/canvaskit.wasm'];

/** What is copied, by path in `node_modules`, with the mode where it matters. */
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

/** Modules that would look for files only in use that this project makes none of. */
export const NO_FILES_NEEDED = [
  // Names the variable in a comment.
  'vendor/commander/lib/command.js',
  // Reads the package.json of the program for a document without `info`; ours has it.
  'vendor/@fastify/swagger/lib/util/read-package-json.js',
  // Starts a thread for a transport; the log is written directly.
  'vendor/pino/lib/transport.js',
  'vendor/thread-stream/index.js',
];
