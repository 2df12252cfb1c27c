import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from './command.js';

/** Environment variables with the paths of the two lists. */
const FILES = 'LOADED_FILES';
const OWN = 'LOADED_OWN';

/** Runs in the thread of the loader, and records the URL of each module that is loaded. */
const HOOKS = `
import { appendFileSync } from 'node:fs';
export function load(url, context, next) {
  appendFileSync(process.env.${FILES}, url + '\\n');
  return next(url, context);
}`;

/** Runs before the command: registers the hooks, and records at exit which modules of Node itself were loaded. */
const BEFORE = `
import { writeFileSync } from 'node:fs';
import { register } from 'node:module';
register(${JSON.stringify(asUrl(HOOKS))});
process.on('exit', () => writeFileSync(process.env.${OWN}, process.moduleLoadList.join('\\n')));`;

function asUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

/** The modules that a command has loaded. */
export interface Loaded {
  code: number | null;
  /** URLs of files, in the order of loading. */
  files: string[];
  /** Modules of Node, under Node's own names: `NativeModule internal/url`. */
  own: string[];
}

/** Runs the command line, and resolves with the modules that it has loaded. */
export async function loadedBy(home: string, args: readonly string[]): Promise<Loaded> {
  const folder = await mkdtemp(join(tmpdir(), 'at-loaded-'));
  const lists = { [FILES]: join(folder, 'files'), [OWN]: join(folder, 'own') } as const;
  try {
    const env = { ...lists, NODE_OPTIONS: `--import=${asUrl(BEFORE)}` };
    const { code } = await command(home, args, { env });
    const [urls, own] = await Promise.all([lists[FILES], lists[OWN]].map(linesIn));
    return { code, files: urls!.filter((url) => url.startsWith('file:')), own: own! };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function linesIn(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
}
