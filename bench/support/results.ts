import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { MachineLoad } from '../peers/machine-watch.js';
import { type Comparisons, type Row, toJson, toTable } from '../report.js';

/** Result of a case that was measured to its end. */
export interface Result {
  name: string;
  rows: readonly Row[];
  comparisons: Comparisons;
  machine: MachineLoad;
  /** Arguments of the command line. */
  args: readonly string[];
}

export interface ResultsOptions {
  /** Folder of the result files; created with the first result. */
  folder: string;
  json: boolean;
  print: (text: string) => void;
}

/** Prints the result of each case at once, and appends the same text to the case's file. */
export class Results {
  readonly #options: ResultsOptions;

  constructor(options: ResultsOptions) {
    this.#options = options;
  }

  /** Prints and appends a result. Returns the path of the case's file. */
  add(result: Result): string {
    const { folder, json, print } = this.#options;
    const text = json ? `${JSON.stringify(asJson(result))}\n` : `${asText(result)}\n`;
    print(text);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${result.name}.${json ? 'jsonl' : 'txt'}`);
    appendFileSync(file, text);
    return file;
  }
}

function asJson({ name, rows, comparisons, machine, args }: Result): object {
  return { case: name, at: new Date(), commit: commit(), args, machine, ...toJson(rows, comparisons) };
}

function asText({ name, rows, comparisons, machine, args }: Result): string {
  const { platform, arch, version } = process;
  const about = [
    new Date().toISOString(),
    commit(),
    `Node ${version}`,
    `${platform} ${arch}, ${machine.cores} x ${cpus()[0]?.model ?? 'unknown processor'}`,
    args.join(' '),
  ];
  return `${name}: ${about.filter(Boolean).join('; ')}\n${spell(machine)}\n${toTable(rows, comparisons)}`;
}

/** Returns how busy the machine was, in words. */
function spell({ cores, load, busy, others, steal }: MachineLoad): string {
  const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
  const loads = load.map((average) => average.toFixed(1)).join(', ');
  const of = cores === 1 ? '1 core' : `${cores} cores`;
  return (
    `the machine meanwhile: ${of} busy ${percent(busy)}, by other programs ${percent(others)}, ` +
    `taken by the hypervisor ${percent(steal)}; load average ${loads}`
  );
}

/** Returns the commit of the sources; undefined outside a clone. */
function commit(): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    const hash = git('rev-parse', '--short', 'HEAD');
    const changes = git('status', '--porcelain', '--untracked-files=no');
    return changes === '' ? hash : `${hash} and changes`;
  } catch {
    return undefined;
  }
}
