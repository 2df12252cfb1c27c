import { DomainError } from '../../contract/errors.js';
import { LINE_PATIENCE_MS, LINE_PROBES, LINE_TRIES } from '../../contract/limits.js';
import { decodeCursor } from '../../workers/shard/read-cursor.js';
import type { Hold } from '../input-gate/hold.js';
import { untilAsleep, untilReported } from '../waits/quiet.js';
import { type Scope, within } from '../waits/scope.js';
import { isAtRest, shellState, untilShell } from '../waits/shell-rest.js';
import { ShellWatch } from '../waits/shell-watch.js';
import { PROBE_KEY, RUN_KEY } from './line-keys.js';
import type { Progress } from './progress.js';
import { repeatUnknown } from './repeat-unknown.js';
import type { RunWatch } from './run-watch.js';
import { enter, onceOf, type RunParts, type RunRequest } from './typed.js';

/**
 * Makes the shell's line editor take the command as a line of its own, so that nothing that others have typed, or type
 * meanwhile, gets into it. Resolves once the shell has taken it. Throws line-editor-busy when the shell does not take
 * it, as during a search, and the reason of the scope when that ends. In both cases the shell will not run the command
 * later, unless `progress.isTyped` says that it has taken it after all. Also throws {@link Overtaken}, and the errors of the
 * input gate.
 */
export async function stage(
  parts: RunParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
  watch: RunWatch,
): Promise<void> {
  if (isWithdrawn(progress)) throw scope.signal.reason;
  // Nobody else gets a lease until the shell has taken the line.
  const hold = await enter(parts, request);
  try {
    if (isWithdrawn(progress)) throw scope.signal.reason;
    progress.offer = 'made';
    await offer({ hold, ...parts }, request, scope, progress, watch);
  } finally {
    hold.release();
  }
}

/** The parts that a run needs, and its hold of the terminal. */
type HeldParts = RunParts & { hold: Hold };

function isWithdrawn({ offer }: Progress): boolean {
  return offer === 'withdrawn';
}

async function offer(
  parts: HeldParts,
  request: RunRequest,
  scope: Scope,
  progress: Progress,
  watch: RunWatch,
): Promise<void> {
  const { id, runId, command } = request;
  await parts.lines.write(id, runId, command);
  try {
    for (let attempt = 1; ; attempt++) {
      await pressRunKey(parts, request, scope.signal, attempt);
      // The key has been sent, even if the scope ends now: only the claim can keep the shell from taking the line.
      if (await isTakenSoon(parts, request, scope, watch)) break;
      if (attempt === LINE_TRIES) throw new DomainError('line-editor-busy');
    }
    progress.isTyped = true;
  } catch (error) {
    progress.isTyped = !parts.lines.giveUp(id, runId);
    throw error;
  } finally {
    if (progress.isTyped) announce(parts, request, watch);
  }
}

/** Reports the taken line as typed, for recordings, the search index and the record of who typed last. */
function announce(
  { terminals }: RunParts,
  { id, command, origin, ask }: RunRequest,
  { taken }: Pick<RunWatch, 'taken'>,
): void {
  const position = taken === undefined ? 0 : decodeCursor(taken, Number.MAX_SAFE_INTEGER).position;
  terminals.announceTyped(id, [{ data: command }, { data: '\r' }], { origin, position, ask });
}

/**
 * Resolves with whether the shell takes the line. An answer to a probe that was typed after the key means that
 * something else, such as a search, has read the key. Throws line-editor-busy after LINE_PROBES probes without an
 * answer.
 */
async function isTakenSoon(
  parts: HeldParts,
  request: RunRequest,
  scope: Scope,
  watch: RunWatch,
): Promise<boolean> {
  const isTaken = () => watch.taken !== undefined;
  for (let probe = 1; probe <= LINE_PROBES; probe++) {
    const { answers } = watch;
    if (await isSoWithin(watch, LINE_PATIENCE_MS, isTaken)) return true;
    scope.signal.throwIfAborted();
    // Somebody else's line may have come first: the program that it runs is not a line editor, so wait for its end.
    await untilAtPrompt(parts, request.id, scope);
    await untilTakenOrRead(parts, request.id, scope, watch);
    if (isTaken()) return true;
    await pressProbe(parts, request);
    const isRead = () => isTaken() || watch.answers > answers;
    if (await isSoWithin(watch, LINE_PATIENCE_MS * probe, isRead)) return isTaken();
  }
  throw new DomainError('line-editor-busy');
}

/**
 * Resolves once the shell has taken the line, or has read the key without taking it. On a busy machine the key may not
 * have been read yet, and a probe behind it would become input of the command. Or the shell has taken the line, and the
 * mark that says so is still under way.
 */
async function untilTakenOrRead(
  parts: RunParts,
  id: string,
  { signal, leftMs }: Scope,
  watch: RunWatch,
): Promise<void> {
  await within(signal, async (inner) => {
    const read = untilAsleep(parts, id, inner).then(() =>
      untilReported(parts, id, { signal: inner, leftMs }),
    );
    await Promise.race([read, untilTaken(watch)]);
  });
}

async function untilTaken(watch: RunWatch): Promise<void> {
  while (watch.taken === undefined) await watch.changed();
}

/** Resolves with whether `isSo` holds before `patienceMs` are over. */
async function isSoWithin(watch: RunWatch, patienceMs: number, isSo: () => boolean): Promise<boolean> {
  const until = performance.now() + patienceMs;
  while (!isSo()) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) return false;
    await watch.changed(leftMs);
  }
  return true;
}

async function untilAtPrompt(parts: RunParts, id: string, scope: Scope): Promise<void> {
  if (isAtRest(shellState(parts, id))) return;
  const watch = new ShellWatch(parts.commands, id, scope.signal);
  try {
    await untilShell(parts, id, watch, isAtRest, scope);
  } finally {
    watch.close();
  }
}

/** Types the key under its own operation id, and again if nobody knows whether it was typed, unless the line is taken. */
async function pressRunKey(
  { terminals, hold, lines }: HeldParts,
  { id, runId }: RunRequest,
  signal: AbortSignal,
  attempt: number,
): Promise<void> {
  const once = onceOf(runId, id, `run-${attempt}`);
  await repeatUnknown(
    () => terminals.press(id, RUN_KEY, { once, hold }),
    signal,
    () => lines.isTaken(id, runId),
  );
}

/** Types a probe. An unknown outcome is no fault: the line editor's answer shows whether the probe was typed. */
async function pressProbe({ terminals, hold }: HeldParts, { id }: RunRequest): Promise<void> {
  try {
    await terminals.press(id, PROBE_KEY, { hold });
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'outcome-unknown')) throw error;
  }
}
