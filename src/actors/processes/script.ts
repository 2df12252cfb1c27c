import { baseName, isTitle } from './names.js';

/** The script, module or package that an interpreter or a launcher is to run, by its command line. */
export type Script =
  | { kind: 'path'; path: string }
  /** `python -m name`. */
  | { kind: 'module'; name: string }
  /** A package that is fetched and run, without its version. */
  | { kind: 'package'; name: string };

interface Interpreter {
  name: RegExp;
  /** Options whose value is the next argument. */
  valued: readonly string[];
  /** Options that carry code, so that there is no script. */
  code: RegExp;
  /** The option that names a module, in the same argument or in the next. */
  module?: RegExp;
  /** Word before the script that says only that a script follows. */
  run?: string;
}

const JAVASCRIPT_VALUED = ['-r', '--require', '--import', '--loader', '--experimental-loader', '-C'];
const INTERPRETERS: readonly Interpreter[] = [
  {
    name: /^node(js)?$/,
    valued: [...JAVASCRIPT_VALUED, '--conditions', '--env-file', '--title', '--input-type'],
    code: /^(-e|--eval|-p|--print|-pe)(=|$)/,
  },
  { name: /^bun$/, valued: [...JAVASCRIPT_VALUED, '--preload', '--cwd'], code: /^(-e|--eval)$/, run: 'run' },
  { name: /^deno$/, valued: ['-c', '--config', '--import-map', '-L'], code: /^(eval|repl)$/, run: 'run' },
  {
    name: /^(python|pypy)[\d.]*w?$/,
    valued: ['-W', '-X', '--check-hash-based-pycs'],
    code: /^-[bBdEhiIOPqRsSuvVx]*c/,
    module: /^-[bBdEhiIOPqRsSuvVx]*m(.*)$/,
  },
  { name: /^ruby[\d.]*$/, valued: ['-r', '-I', '-C'], code: /^-e/ },
];

/** Programs that run a package, by the words that make them do it; an empty text where no word is needed. */
const LAUNCHERS: Readonly<Record<string, readonly string[]>> = {
  npx: [''],
  bunx: [''],
  uvx: [''],
  npm: ['exec', 'x'],
  pnpm: ['dlx', 'exec'],
  yarn: ['dlx'],
  bun: ['x'],
  uv: ['tool run', 'run'],
  pipx: ['run'],
};

/** Options of launchers that name a package. */
const PACKAGE_OPTIONS: ReadonlySet<string> = new Set(['--package', '--from', '--spec']);
/** Options of launchers with a value that does not name a package. */
const LAUNCHER_VALUED: ReadonlySet<string> = new Set(['--with', '--python', '--registry', '--index']);

/** Returns the script of an interpreter's command line; null when it runs none, or `program` is not an interpreter. */
export function scriptOf(program: string, argv: readonly string[]): Script | null {
  const interpreter = INTERPRETERS.find(({ name }) => name.test(program.toLowerCase()));
  if (!interpreter) return null;
  const { valued, code, module, run } = interpreter;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? '';
    const inModule = module?.exec(word);
    if (inModule) return named('module', inModule[1] || argv[at + 1]);
    if (code.test(word)) return null;
    if (word === '--') return path(argv[at + 1]);
    if (valued.includes(word)) at++;
    else if (!word.startsWith('-') && word !== run) return path(word);
  }
  return null;
}

/**
 * Returns the packages that a launcher (`npx`, `uvx`, `npm exec`) is to run; empty for any other command line.
 */
export function launchedPackages(program: string, argv: readonly string[]): Script[] {
  const words = isTitle(argv) ? (argv[0] ?? '').split(' ') : argv;
  const script = scriptOf(program, argv);
  const host = script?.kind === 'path' ? argv.indexOf(script.path) : 0;
  // npm and similar launchers are scripts themselves: npx-cli.js, pnpm.cjs.
  const launcher = baseName(words[host] ?? '').replace(/(-cli)?(\.[cm]?js)?$/, '');
  const rest = words.slice(host + 1);
  const verb = LAUNCHERS[launcher]?.find(
    (verb) => verb === '' || `${rest.join(' ')} `.startsWith(`${verb} `),
  );
  if (verb === undefined) return [];
  return packagesAmong(rest.slice(verb === '' ? 0 : verb.split(' ').length));
}

function packagesAmong(words: readonly string[]): Script[] {
  const packages: Script[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const [option = '', value] = word.split('=', 2);
    if (PACKAGE_OPTIONS.has(option))
      packages.push(named('package', withoutVersion(value ?? words[++at] ?? '')));
    else if (LAUNCHER_VALUED.has(word)) at++;
    else if (!word.startsWith('-')) return [...packages, named('package', withoutVersion(word))];
  }
  return packages;
}

/** Returns the name alone: `@openai/codex` for `@openai/codex@latest`, `aider-chat` for `aider-chat[help]==0.8`. */
function withoutVersion(specification: string): string {
  return specification.replace(/(?<=.)[@[=<>~!].*$/, '');
}

/** Returns the script at a path, or the package of an `npm:` specifier, which Deno takes in place of a path. */
function path(word: string | undefined): Script | null {
  if (word === undefined) return null;
  const fetched = /^npm:\/?(.+)$/.exec(word);
  return fetched?.[1] ? named('package', withoutVersion(fetched[1])) : { kind: 'path', path: word };
}

function named(kind: 'module' | 'package', name: string | undefined): Script {
  return { kind, name: name ?? '' };
}
