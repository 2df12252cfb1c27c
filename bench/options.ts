import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Sizes } from './support/bench.js';

/** Options of the command line. */
export interface BenchOptions extends Sizes {
  /** Names of the cases to run, in this order. */
  only: string[];
  /** Whether results are JSON, a line for each case, in place of tables. */
  json: boolean;
  /** Folder of the result files. */
  results: string;
  saveBaseline: boolean;
}

/** Error in the command line; the message says what is valid. */
export class UsageError extends Error {}

/** Peers that run only on request. */
const PEERS = ['vibetunnel'];

/** Folder of the result files, beside the sources; the compiled bench uses the same folder. */
const RESULTS = fileURLToPath(new URL('../../bench/results', import.meta.url));

interface Option {
  /** Placeholder of the value in the help; a flag has none. */
  value?: string;
  /** Text in the help, with the default in brackets. */
  about: string;
}

const OPTIONS = {
  only: { value: '<names>', about: 'run these cases, separated by commas (all)' },
  rounds: { value: '<n>', about: 'rounds in which each figure is measured; the median counts (5)' },
  scale: {
    value: '<share>',
    about: 'share of the full sizes; below 1 no figure is compared with the baseline (1)',
  },
  peers: {
    value: '<names>',
    about: `more programs to download and compare with: ${PEERS.join(', ')} (none)`,
  },
  agents: {
    value: '<n>@<rate>',
    about: 'for the case agents: number of programs, and redraws a second of each (200@10)',
  },
  minutes: { value: '<n>', about: 'for the cases churn and page-memory: duration in minutes (2)' },
  seed: { value: '<n>', about: 'for the case churn: seed of its random choices (1)' },
  json: { about: 'print JSON, a line for each case, in place of tables' },
  results: {
    value: '<folder>',
    about: "append each case's result to <case>.txt, or .jsonl, in this folder (bench/results)",
  },
  'save-baseline': { about: 'write the figures into bench/baseline.json' },
  help: { about: 'show this' },
} satisfies Record<string, Option>;

type Name = keyof typeof OPTIONS;

/** Returns the options, or 'help' if `--help` is given. Throws UsageError. */
export function parseOptions(args: readonly string[], cases: readonly string[]): BenchOptions | 'help' {
  const given = valuesOf(args);
  if (given.has('help')) return 'help';
  const text = (name: Name, fallback: string) => given.get(name) ?? fallback;
  const scale = positive('scale', text('scale', '1'));
  const saveBaseline = given.has('save-baseline');
  if (saveBaseline && scale !== 1) throw new UsageError('--save-baseline needs --scale 1');
  return {
    only: names('only', text('only', cases.join(',')), cases),
    rounds: whole('rounds', text('rounds', '5')),
    scale,
    peers: new Set(given.has('peers') ? names('peers', given.get('peers')!, PEERS) : []),
    agents: agentsOf(text('agents', '200@10')),
    minutes: positive('minutes', text('minutes', '2')),
    seed: whole('seed', text('seed', '1')),
    json: given.has('json'),
    results: text('results', RESULTS),
    saveBaseline,
  };
}

/** Returns the help: usage, options, and a line for each case. */
export function helpText(cases: Readonly<Record<string, { about: string }>>): string {
  const list = (entries: ReadonlyArray<readonly [string, string]>) => {
    const width = Math.max(...entries.map(([name]) => name.length));
    return entries.map(([name, about]) => `  ${name.padEnd(width)}  ${about}\n`).join('');
  };
  const options = Object.entries<Option>(OPTIONS).map(
    ([name, { value, about }]) => [[`--${name}`, value].filter(Boolean).join(' '), about] as const,
  );
  return [
    'Usage: npm run bench -- [options]\n\nMeasures this machine. Progress goes to stderr, tables to stdout.\n',
    `Options, with their defaults:\n${list(options)}`,
    `Cases:\n${list(Object.entries(cases).map(([name, { about }]) => [name, about] as const))}`,
    'Exit codes: 1 if a case failed, a figure is worse than bench/baseline.json allows, or a required target\n' +
      'was missed; 2 if the command line is wrong; 129, 130 or 143 if a signal stopped it.\n',
  ].join('\n');
}

/** Returns the given options with the text of their values; the text of a flag is empty. */
function valuesOf(args: readonly string[]): Map<string, string> {
  const options = Object.fromEntries(
    Object.entries<Option>(OPTIONS).map(([name, { value }]) => [
      name,
      { type: value ? ('string' as const) : ('boolean' as const) },
    ]),
  );
  // Not strict: the messages of a strict parser do not list the valid options.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const given = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional')
      throw new UsageError(`unexpected argument ${token.value}; name cases with --only`);
    if (token.kind !== 'option') continue;
    const option: Option | undefined = Object.hasOwn(OPTIONS, token.name)
      ? OPTIONS[token.name as Name]
      : undefined;
    if (!option) throw new UsageError(`unknown option ${token.rawName}; the options are ${optionNames()}`);
    if (option.value && !token.value) throw new UsageError(`${token.rawName} needs a value: ${option.value}`);
    if (!option.value && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`);
    given.set(token.name, token.value ?? '');
  }
  return given;
}

function optionNames(): string {
  return Object.keys(OPTIONS)
    .map((name) => `--${name}`)
    .join(', ');
}

/** Returns the names of a comma-separated list without duplicates. Throws UsageError for an unknown name, or none. */
function names(option: Name, list: string, known: readonly string[]): string[] {
  const wanted = [...new Set(list.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  const unknown = wanted.filter((name) => !known.includes(name));
  const what = option === 'only' ? 'case' : 'peer';
  if (unknown.length > 0)
    throw new UsageError(`unknown ${what} ${unknown.join(', ')}; the ${what}s are ${known.join(', ')}`);
  if (wanted.length === 0)
    throw new UsageError(`--${option} names no ${what}; the ${what}s are ${known.join(', ')}`);
  return wanted;
}

function agentsOf(text: string): { count: number; perSecond: number } {
  const [, count, perSecond] = /^(\d+)@(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (count === undefined) throw new UsageError(`--agents must be like 800@2, not ${text}`);
  return { count: whole('agents', count), perSecond: positive('agents', perSecond!) };
}

function positive(option: Name, text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < Infinity))
    throw new UsageError(`--${option} must be a positive number, not ${text}`);
  return value;
}

function whole(option: Name, text: string): number {
  const value = positive(option, text);
  if (!Number.isSafeInteger(value)) throw new UsageError(`--${option} must be a whole number, not ${text}`);
  return value;
}
