import type { NeedKind } from './needs.js';

/** A rising pair of tones for an agent that waits, a falling one for what went wrong, in Hz. */
const TONES: Record<NeedKind, readonly [number, number]> = {
  waiting: [660, 880],
  failed: [440, 330],
  exited: [440, 330],
};
const TONE_S = 0.12;
const LOUDEST = 0.4;

let context: AudioContext | undefined;

/** Plays a short sound. Until a person has used the page, browsers keep it silent. */
export async function beep(kind: NeedKind, volume: number): Promise<void> {
  context ??= new AudioContext();
  await context.resume();
  const gain = context.createGain();
  gain.gain.value = volume * volume * LOUDEST;
  gain.connect(context.destination);
  const start = context.currentTime;
  TONES[kind].forEach((hertz, at) => {
    const tone = context!.createOscillator();
    tone.frequency.value = hertz;
    tone.connect(gain);
    tone.start(start + at * TONE_S);
    tone.stop(start + (at + 1) * TONE_S);
  });
}
