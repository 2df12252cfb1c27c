import type { Cast, CastEvent } from '../player/messages.js';

/** Parses a file of asciicast v2 into the events to play, and the moments at which an agent began to wait. */
export function castOf(text: string): { cast: Cast; waits: Mark[] } {
  const [head = '', ...lines] = text.split('\n');
  const { width, height } = JSON.parse(head) as { width: number; height: number };
  const all = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as CastEvent);
  // A mark prints nothing, and must not divide a pause that is cut.
  const events = all.filter(([, code]) => code !== 'm');
  const waits = all
    .filter(([, code]) => code === 'm')
    .map(([at, , label]): Mark => ({ at, kind: 'wait', label }));
  return { cast: { cols: width, rows: height, events }, waits };
}

/** Conversion between seconds of a recording and seconds of its playback with cut pauses. */
export interface Clock {
  playedAt(recorded: number): number;
  recordedAt(played: number): number;
}

/** Shortens pauses without an event to at most `limit` seconds; undefined leaves them as they are. */
export function withoutIdle(cast: Cast, limit: number | undefined): { cast: Cast; clock: Clock } {
  const recorded = [0];
  const played = [0];
  const events = cast.events.map(([time, code, data]): CastEvent => {
    const pause = Math.max(0, time - recorded.at(-1)!);
    played.push(played.at(-1)! + Math.min(pause, limit ?? Infinity));
    recorded.push(recorded.at(-1)! + pause);
    return [played.at(-1)!, code, data];
  });
  const clock: Clock = {
    playedAt(seconds) {
      const at = lastUntil(recorded, seconds);
      return Math.min(played[at]! + seconds - recorded[at]!, played[at + 1] ?? Infinity);
    },
    recordedAt(seconds) {
      const at = lastUntil(played, seconds);
      return recorded[at]! + seconds - played[at]!;
    },
  };
  return { cast: { ...cast, events }, clock };
}

/** Returns the index of the last of these rising times that is not after `time`; 0 if all are. */
function lastUntil(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle;
    else high = middle;
  }
  return low;
}

/** A moment of a recording to go to, at its second: a command begins, or an agent begins to wait. */
export interface Mark {
  at: number;
  kind: 'command' | 'wait';
  /** The command, or the agent's reason for waiting. */
  label: string;
}

/** Returns the commands that began during the recording, and the waits, in order of time. */
export function marksOf(
  commands: ReadonlyArray<{ startedAt: number; commandLine: string }>,
  waits: readonly Mark[],
  from: number,
  to: number,
): Mark[] {
  const begun = commands
    .filter(({ startedAt }) => startedAt >= from && startedAt <= to)
    .map(({ startedAt, commandLine }): Mark => {
      return { at: (startedAt - from) / 1_000, kind: 'command', label: commandLine };
    });
  return [...begun, ...waits].sort((a, b) => a.at - b.at);
}

/** Returns the mark before or after a time; a mark that has just been passed does not count as before. */
export function markBeside(marks: readonly Mark[], time: number, by: 1 | -1): Mark | undefined {
  const JUST_PASSED = 1;
  return by > 0
    ? marks.find(({ at }) => at > time + 0.05)
    : marks.findLast(({ at }) => at < time - JUST_PASSED);
}

export const SPEEDS = [0.25, 0.5, 1, 1.5, 2, 3, 4] as const;

/** Returns the next speed in this direction; the fastest and the slowest stay. */
export function speedBeside(speed: number, by: 1 | -1): number {
  const at = (SPEEDS as readonly number[]).indexOf(speed);
  return SPEEDS[at + by] ?? speed;
}

/** Returns a time as a clock shows it: `1:02:05`, `0:07`. */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (part: number) => String(part).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
