import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Files by which the gateway listens and admits requests; the sidecar's server uses the same files. */
const LISTENING = [
  'answer-headers.ts',
  'errors.ts',
  'guard.ts',
  'listen.ts',
  'local-users',
  'loopback.ts',
  'pipelines.ts',
  'port-owner.ts',
  'refusals.ts',
  'served-connections.ts',
  'token.ts',
  'validation.ts',
].map((name) => `src/gateway/${name}`);

/** The table of docs/architecture.md: rooms, or files of them, that each room may import besides itself. */
const LAYERS: Record<string, string[]> = {
  'src/contract': [],
  'src/config': ['src/contract'],
  'src/store': ['src/contract', 'src/config'],
  // The types of the contract and, in Node, the paths of the service's files.
  'src/client': ['src/contract', 'src/config/paths.ts'],
  'src/workers': ['src/contract', 'src/config', 'src/store'],
  // The fleet over machines: this machine's key, the hub, pairing, grants, requests between machines.
  'src/fleet': ['src/contract', 'src/config', 'src/workers'],
  'src/actors': ['src/contract', 'src/config', 'src/store', 'src/workers'],
  'src/gateway': ['src/contract', 'src/config', 'src/store', 'src/workers', 'src/actors', 'src/fleet'],
  'src/app': [
    'src/contract',
    'src/config',
    'src/store',
    'src/workers',
    'src/actors',
    'src/fleet',
    'src/gateway',
  ],
  'src/app.ts': ['src/contract', 'src/config', 'src/actors', 'src/gateway', 'src/app'],
  'src/main.ts': ['src/contract', 'src/config', 'src/workers', 'src/gateway', 'src/app.ts'],
  // The command line is a client of the service like any other. Results within an answer name an error by its code alone,
  // so it needs the catalogue. A systemd unit must start the pty host as the service
  // does.
  'src/command': [
    ...['src/client', 'src/contract/version.ts', 'src/contract/error-catalogue.ts'],
    ...['src/config/paths.ts', 'src/config/start-lock.ts', 'src/config/service-facts.ts'],
    ...['src/config/config-error.ts', 'src/config/private-folder.ts'],
    'src/workers/pty-host/client/host-command.ts',
  ],
  'src/cli.ts': ['src/main.ts', 'src/command/main.ts', 'mcp/main.ts'],
  // A process of its own, and a client of the service; it listens, guards and logs as the service does.
  mcp: ['src/client', 'src/contract', 'src/config/logger.ts', 'src/config/config-error.ts', ...LISTENING],
  // The pages are a client like any other: they reach the service through its client alone.
  dashboard: ['src/client/browser.ts', 'src/client/browser-fleet.ts'],
};

/** Most lines of a file: a longer file has two subjects. */
const MAX_LINES = 250;

function sourcesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

function roomOf(file: string): string {
  const room = Object.keys(LAYERS).find((name) => isIn(file, name));
  if (!room) throw new Error(`${file} is in no room of the house`);
  return room;
}

function isIn(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`);
}

/** Path of the source behind the path that an import names. */
function sourceOf(path: string): string {
  const base = path.replace(/\.js$/, '');
  return [`${base}.ts`, `${base}.tsx`].find((file) => existsSync(join(root, file))) ?? path;
}

/** The project's own files that `file` imports, types included. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) =>
    sourceOf(relative(root, join(root, dirname(file), path!))),
  );
}

const sources = ['src', 'mcp', 'dashboard'].flatMap(sourcesUnder);
const graph = new Map(sources.map((file) => [file, importsOf(file)]));

describe('the house', () => {
  it('has sources and imports to check', () => {
    expect(sources.length).toBeGreaterThan(20);
    expect([...graph.values()].flat().length).toBeGreaterThan(sources.length);
  });

  it('imports downwards only', () => {
    const wrong = [...graph].flatMap(([file, imports]) => {
      const room = roomOf(file);
      return imports
        .filter((path) => ![room, ...LAYERS[room]!].some((place) => isIn(path, place)))
        .map((path) => `${file} -> ${path}`);
    });
    expect(wrong).toEqual([]);
  });

  it('has no import circle, not even of types', () => {
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, path: string[]) => {
      if (path.includes(file)) {
        circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      } else if (!done.has(file)) {
        for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
        done.add(file);
      }
    };
    for (const file of sources) visit(file, []);
    expect(circles).toEqual([]);
  });

  it(`has no file over ${MAX_LINES} lines`, () => {
    const folders = ['src', 'mcp', 'dashboard', 'bench', 'pack', 'test'];
    const styles = readdirSync(join(root, 'dashboard/src/style')).map(
      (name) => `dashboard/src/style/${name}`,
    );
    const long = [...folders.flatMap(sourcesUnder), ...styles]
      .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });

  it('reaches other threads, processes and exits only from entry points', () => {
    const exits = sources.filter((file) => /process\.exit\(/.test(readFileSync(join(root, file), 'utf8')));
    expect(exits.filter((file) => !file.endsWith('main.ts'))).toEqual([]);
  });
});
