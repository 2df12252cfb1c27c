import type { FleetTerminal } from '../fleet/after-event.js';

/** Since when an agent waits. */
interface Wait {
  /** Epoch milliseconds. */
  since: number;
  /** The page has not seen it begin: it began later than this. */
  isGuess: boolean;
  /** The last input that is known of while it waits: without a later one, it still is the same wait. */
  inputAt: number;
}

/** A command that failed, and after which none has succeeded. */
export interface Failure {
  commandId: string;
  exitCode: number;
  endedAt: number;
  /** Absent if only a page before this one has seen it. */
  commandLine?: string;
}

/** What pages remember of terminals, by id, since the service's list does not tell it. */
export interface Facts {
  waits: Readonly<Record<string, Wait>>;
  failed: Readonly<Record<string, Failure>>;
}

export const NO_FACTS: Facts = { waits: {}, failed: {} };

function isWaiting(terminal: FleetTerminal | undefined): boolean {
  return terminal?.status === 'running' && terminal.agentStatus === 'waiting';
}

/**
 * Returns since when an agent waits. The service does not always know it. What was known before holds if this page
 * has seen it wait ever since, or if nobody has typed since then: an agent asks anew only after an answer.
 */
function waitOf(terminal: FleetTerminal, known: Wait | undefined, wasWaiting: boolean): Wait {
  const { agentSince, lastInputAt, command, createdAt } = terminal;
  const typedAt = lastInputAt ?? 0;
  const isNew = agentSince !== null && (known === undefined || agentSince > known.since);
  if (isNew) {
    return { since: agentSince, isGuess: false, inputAt: Math.max(typedAt, agentSince) };
  }
  if (known && (wasWaiting || typedAt <= known.inputAt)) {
    return typedAt > known.inputAt ? { ...known, inputAt: typedAt } : known;
  }
  // The same in all windows, so that they agree on the key.
  const since = lastInputAt ?? command?.startedAt ?? createdAt;
  return { since, isGuess: true, inputAt: typedAt };
}

function failureOf({ command }: FleetTerminal, known: Failure | undefined): Failure | undefined {
  if (command === null || command.endedAt === null || command.exitCode === null) return known;
  if (command.exitCode === 0) return undefined;
  const { id, exitCode, endedAt, commandLine } = command;
  if (known?.commandId === id && known.commandLine !== undefined) return known;
  return { commandId: id, exitCode, endedAt, commandLine };
}

/**
 * Returns the facts after a change of the fleet, and the same object if they are the same.
 *
 * @param previous - the fleet that `before` was made of; undefined if events may be missing since then
 */
export function factsAfter(
  before: Facts,
  terminals: ReadonlyMap<string, FleetTerminal>,
  previous: ReadonlyMap<string, FleetTerminal> | undefined,
): Facts {
  const waits: Record<string, Wait> = {};
  const failed: Record<string, Failure> = {};
  for (const [id, terminal] of terminals) {
    if (terminal.status === 'exited') continue;
    const known = before.waits[id];
    if (isWaiting(terminal)) waits[id] = waitOf(terminal, known, isWaiting(previous?.get(id)));
    const failure = failureOf(terminal, before.failed[id]);
    if (failure) failed[id] = failure;
  }
  const isSame = isEqual(waits, before.waits) && isEqual(failed, before.failed);
  return isSame ? before : { waits, failed };
}

function isEqual(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
