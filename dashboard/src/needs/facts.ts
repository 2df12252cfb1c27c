import type { FleetTerminal } from '../fleet/after-event.js';

/** Wait of an agent for its user. */
interface Wait {
  /** Epoch milliseconds. */
  since: number;
  /** Whether the page has not seen the wait begin: it began after `since`. */
  isGuess: boolean;
  /** Time of the last known input during the wait: without later input, it is still the same wait. */
  inputAt: number;
}

/** A command that failed, with no successful command after it. */
export interface Failure {
  commandId: string;
  exitCode: number;
  endedAt: number;
  /** Absent if only an earlier page has seen it. */
  commandLine?: string;
}

/** Facts about terminals by id, which pages remember, since the service's list lacks them. */
export interface Facts {
  waits: Readonly<Record<string, Wait>>;
  failed: Readonly<Record<string, Failure>>;
}

export const NO_FACTS: Facts = { waits: {}, failed: {} };

function isWaiting(terminal: FleetTerminal | undefined): boolean {
  return terminal?.status === 'running' && terminal.agentStatus === 'waiting';
}

/**
 * Returns the wait of an agent, whose start the service does not always know. The known wait holds if this page has
 * seen it go on ever since, or if there was no input since then: an agent asks anew only after an answer.
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
  // A time that is the same in all windows, so that they agree on the key.
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
