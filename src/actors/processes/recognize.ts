import type { AgentTable } from './agents.js';
import { baseName, calledName, displayName } from './names.js';
import type { ProcessDetails } from './process-table.js';
import { launchedPackages, type Script, scriptOf } from './script.js';

/** Folders that packages are installed in: the segment after one of them is a package's name. */
const PACKAGE_FOLDERS: ReadonlySet<string> = new Set(['node_modules', 'site-packages', 'dist-packages']);

/** One process, as far as it tells what it runs. */
export interface Candidate extends ProcessDetails {
  /** The kernel's name of it. */
  name: string;
}

/**
 * The label of the agent that a process is, or null. It is known by the name of its executable, or, under an
 * interpreter, by the script that runs. What else stands in its command line does not count.
 */
export function agentOf(candidate: Candidate, table: AgentTable): string | null {
  for (const name of namesOf(candidate)) {
    const label = table.byCommand.get(name.toLowerCase());
    if (label !== undefined) return label;
  }
  for (const program of programsOf(candidate)) {
    const script = scriptOf(program, candidate.argv);
    const label = script && labelOf(script, table);
    if (label) return label;
  }
  return null;
}

/** The label of the agent that a launcher (npx, uvx) was told to run: for when that is not to be seen itself yet. */
export function launchedAgentOf(candidate: Candidate, table: AgentTable): string | null {
  for (const program of programsOf(candidate)) {
    for (const script of launchedPackages(program, candidate.argv)) {
      const label = labelOf(script, table);
      if (label) return label;
    }
  }
  return null;
}

function namesOf(candidate: Candidate): string[] {
  return [displayName(candidate.name, candidate), ...programsOf(candidate)];
}

/** The file that runs may have another name than it was called by (`2.1.40` for `claude`), and the other way round. */
function programsOf({ argv, exe }: Candidate): string[] {
  return [calledName(argv), ...(exe === null ? [] : [baseName(exe)])];
}

function labelOf(script: Script, table: AgentTable): string | null {
  if (script.kind === 'path') return labelOfPath(script.path.toLowerCase(), table);
  const name = (script.kind === 'module' ? script.name.split('.')[0] : script.name)?.toLowerCase() ?? '';
  return table.byScript.get(name) ?? table.byCommand.get(name) ?? null;
}

function labelOfPath(path: string, table: AgentTable): string | null {
  const segments = path.split(/[/\\]/);
  for (let at = 0; at < segments.length; at++) {
    // Whole segments only; a single one counts only as the name of a package.
    const shortest = PACKAGE_FOLDERS.has(segments[at - 1] ?? '') ? 1 : 2;
    for (let length = shortest; length <= table.longestScript; length++) {
      const label = table.byScript.get(segments.slice(at, at + length).join('/'));
      if (label !== undefined) return label;
    }
  }
  // An installed entry point has no extension; somebody's own `claude.js` is no agent.
  return table.byCommand.get(baseName(path)) ?? null;
}
