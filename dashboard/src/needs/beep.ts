import type { NeedKind } from './needs.js';

/** A rising pair of tones for an agent that waits, a falling pair for failures, in Hz. */
const TONES: Record<NeedKind, readonly [number, number]> = {
  waiting: [660, 880],
  failed: [440, 330],
  exited: [440, 330],
};
const TONE_S = 0.12;
const LOUDEST = 0.4;
/** Longest wait for sound: without a user gesture, browsers do not start it, and report nothing. */
const START_MS = 500;

let context: AudioContext | undefined;

/** Plays a short sound. Browsers keep a page silent until a person has used it; a sound that is late is left out. */
export async function beep(kind: NeedKind, volume: number): Promise<void> {
  context ??= new AudioContext();
  const tooLate = new Promise((resolve) => setTimeout(resolve, START_MS));
  await Promise.race([context.resume(), tooLate]);
  if (context.state !== 'running') throw new Error('The browser keeps this page silent until it is used');
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
