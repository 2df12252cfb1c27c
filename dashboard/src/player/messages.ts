/** An event of a recording: seconds, kind, and text or size. */
export type CastEvent = [time: number, code: 'o' | 'i' | 'r' | 'm', data: string];

/** A recording as the player takes it. */
export interface Cast {
  cols: number;
  rows: number;
  events: CastEvent[];
}

/**
 * Requests of the page to the frame. Times are seconds of the recording as it is played. `load`: a running playback
 * continues with it. `toggle`: plays, or pauses; before the first `load` it decides whether that plays at once.
 */
export type ToFrame =
  | {
      kind: 'load';
      cast: Cast;
      startAt: number;
      speed: number;
      markers: Array<[time: number, label: string]>;
    }
  | { kind: 'toggle' }
  | { kind: 'seek'; to: number };

/** Reports of the frame. `leave`: a person wants the keys to go to the page again. */
export type ToPage =
  | { kind: 'ready' }
  | { kind: 'state'; isPlaying: boolean; at: number; duration: number | undefined }
  | { kind: 'failed'; error: string }
  | { kind: 'leave' };
