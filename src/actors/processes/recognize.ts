import type { AgentTable } from './agents.js';
import { baseName, calledName, displayName } from './names.js';
import type { ProcessDetails } from './process-table.js';
import { launchedPackages, type Script, scriptOf } from './script.js';

/** Folders that packages are installed in: the segment after such a folder is the name of a package. */
const PACKAGE_FOLDERS: ReadonlySet<string> = new Set(['node_modules', 'site-packages', 'dist-packages']);

/** A process, with everything that identifies the program it runs. */
export interface Candidate extends ProcessDetails {
  /** The kernel's name for it. */
  name: string;
}

/**
 * Returns the label of the agent that a process is, or null. Recognizes an agent by the name of its executable or,
 * under an interpreter, by its script. Nothing else in the command line counts.
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

/**
 * Returns the label of the agent that a launcher (npx, uvx) is to run, or null. Used until the agent's own
 * process is visible.
 */
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

/**
 * Returns the name by which the program was called and the name of its file. These may differ, like `claude` and
 * `2.1.40`, and either may be the known name.
 */
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
    // Compares whole segments only; a single segment counts only as the name of a package.
    const shortest = PACKAGE_FOLDERS.has(segments[at - 1] ?? '') ? 1 : 2;
    for (let length = shortest; length <= table.longestScript; length++) {
      const label = table.byScript.get(segments.slice(at, at + length).join('/'));
      if (label !== undefined) return label;
    }
  }
  // An installed entry point has no extension; a `claude.js` that a user wrote is not an agent.
  return table.byCommand.get(baseName(path)) ?? null;
}
