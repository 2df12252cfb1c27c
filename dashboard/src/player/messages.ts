/** An event of a recording: seconds, kind, and text or size. */
export type CastEvent = [time: number, code: 'o' | 'i' | 'r' | 'm', data: string];

/** A recording as the player takes it. */
export interface Cast {
  cols: number;
  rows: number;
  events: CastEvent[];
}

/** What the page asks of the frame. Times are seconds of the recording as it is played. */
export type ToFrame =
  | {
      kind: 'load';
      cast: Cast;
      startAt: number;
      speed: number;
      isPlaying: boolean;
      markers: Array<[time: number, label: string]>;
    }
  | { kind: 'play' }
  | { kind: 'pause' }
  | { kind: 'seek'; to: number };

/** What the frame reports. `leave`: a person wants the keys back for the page. */
export type ToPage =
  | { kind: 'ready' }
  | { kind: 'state'; isPlaying: boolean; at: number; duration: number | undefined }
  | { kind: 'failed'; error: string }
  | { kind: 'leave' };
