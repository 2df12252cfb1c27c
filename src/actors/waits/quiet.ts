import { FOREGROUND_LOOK_MS, MAX_UNREAD_BYTES, NESTED_READ_MS } from '../../contract/limits.js';
import type { WaitedBy } from '../../contract/wait.js';
import { hrMs } from '../../workers/clock.js';
import type { PlaceStatus } from '../../workers/shard/screen-status.js';
import { pause } from '../abortable.js';
import type { Foreground, RestOptions } from '../processes/foreground.js';
import type { Screens } from '../screens.js';
import type { Terminals } from '../terminals.js';
import { type Scope, within } from './scope.js';
import { retryAcrossShardRestart } from './shard-restart.js';

export interface QuietParts {
  terminals: Pick<Terminals, 'startOf' | 'readAll'>;
  screens: Pick<Screens, 'until' | 'place'>;
  foreground: Pick<Foreground, 'rests'>;
}

/** The parts that {@link foregroundNow} needs. */
export interface QuietNowParts extends QuietParts {
  foreground: Pick<Foreground, 'rests' | 'holder'>;
}

/** Resolves once no output has come for `idleMs`; rejects with terminal-not-found, and when the scope ends. */
export async function untilIdle(
  { screens }: Pick<QuietParts, 'screens'>,
  id: string,
  idleMs: number,
  { signal, leftMs }: Pick<Scope, 'signal' | 'leftMs'>,
): Promise<void> {
  await retryAcrossShardRestart(signal, () => screens.until(id, { kind: 'idle', idleMs }, leftMs, signal));
}

/**
 * Resolves once the terminal's own program is in the foreground again and nothing was submitted or printed for
 * `idleMs`: with `foreground`, or with `idle` where the platform reports no foreground processes and only quiet is
 * known. Rejects like {@link untilIdle}.
 */
export async function untilForeground(
  parts: QuietParts,
  id: string,
  idleMs: number,
  scope: Pick<Scope, 'signal' | 'leftMs'> & RestOptions,
): Promise<WaitedBy> {
  const { pid, submittedAt = Number.NEGATIVE_INFINITY } = parts.terminals.startOf(id);
  // Recent input may not have been echoed yet, so quiet from before it does not count.
  await pause(Math.max(0, submittedAt + idleMs - hrMs()), scope.signal);
  for (;;) {
    await untilIdle(parts, id, idleMs, scope);
    const look = await retryAcrossShardRestart(scope.signal, () => parts.screens.place(id));
    if (look.quietMs < idleMs) continue;
    const answer = await within(scope.signal, (signal) => {
      const awaited = { kind: 'output', after: look.position } as const;
      const output = retryAcrossShardRestart(signal, () =>
        parts.screens.until(id, awaited, scope.leftMs, signal),
      );
      return Promise.race([parts.foreground.rests(pid, signal, scope), output.then(() => 'output' as const)]);
    });
    if (answer === 'output') continue;
    // The program may have printed something before it came to rest that no shard has yet received.
    const { position } = await untilReported(parts, id, scope);
    if (position === look.position) return answer === 'rests' ? 'foreground' : 'idle';
  }
}

/**
 * Resolves once all that the terminal's programs have printed before the call is in its shard, and the marks in that
 * output have come. A program that sleeps may have printed its last words only just now: on a full machine they are
 * under way for hundreds of milliseconds. Rejects with terminal-not-found, and when the scope ends.
 */
export async function untilReported(
  { terminals, screens }: Pick<QuietParts, 'terminals' | 'screens'>,
  id: string,
  { signal, leftMs }: Pick<Scope, 'signal' | 'leftMs'>,
): Promise<PlaceStatus> {
  let enough: number | undefined;
  for (;;) {
    const { position, isWhole } = await retryAcrossShardRestart(signal, () => terminals.readAll(id));
    // A terminal in flood may be paused at each look.
    enough ??= position + MAX_UNREAD_BYTES;
    const awaited = { kind: 'output', after: position - 1 } as const;
    await retryAcrossShardRestart(signal, () => screens.until(id, awaited, leftMs, signal));
    const status = await retryAcrossShardRestart(signal, () => screens.place(id));
    if (isWhole || position >= enough) return status;
    await pause(FOREGROUND_LOOK_MS, signal);
  }
}

/**
 * Resolves once the terminal's own program has read everything typed, as far as can be detected: it sleeps in the
 * foreground. A shell within a shell gets NESTED_READ_MS, and must sleep then.
 */
export async function untilAsleep(
  { terminals, foreground }: Pick<QuietNowParts, 'terminals' | 'foreground'>,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const { pid } = terminals.startOf(id);
  await within(signal, (inner) =>
    Promise.race([foreground.rests(pid, inner).then(() => {}), untilNestedHasRead(foreground, pid, inner)]),
  );
}

/**
 * On a full machine, the terminal's own program or a shell within it may be awake for many seconds before it comes to
 * read its input: what was typed has woken it, and it sleeps again once it has read that.
 */
async function untilNestedHasRead(
  foreground: QuietNowParts['foreground'],
  pid: number,
  signal: AbortSignal,
): Promise<void> {
  await pause(NESTED_READ_MS, signal);
  while (!mayHaveRead(await foreground.holder(pid))) await pause(FOREGROUND_LOOK_MS, signal);
}

function mayHaveRead(holder: Awaited<ReturnType<Foreground['holder']>>): boolean {
  return holder.who === 'others' ? holder.areAsleep : holder.who === 'unknown';
}

/**
 * Resolves with the result of {@link untilForeground} if its condition holds at this moment, else with undefined. Takes
 * the time of two looks at the processes.
 */
export async function foregroundNow(
  { terminals, screens, foreground }: QuietNowParts,
  id: string,
  idleMs: number,
  { signal }: Pick<Scope, 'signal'>,
): Promise<WaitedBy | undefined> {
  const { pid, submittedAt = Number.NEGATIVE_INFINITY } = terminals.startOf(id);
  const { quietMs } = await retryAcrossShardRestart(signal, () => screens.place(id));
  if (quietMs < idleMs || submittedAt + idleMs > hrMs()) return undefined;
  if ((await foreground.holder(pid)).who === 'others') return undefined;
  return (await foreground.rests(pid, signal)) === 'rests' ? 'foreground' : 'idle';
}
