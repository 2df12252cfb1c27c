import { z } from 'zod';
import { MAX_SCREEN_VIEWS } from './limits.js';

/** Frames a second of one view: fewest, most, and the default. */
const FPS = { min: 0.5, max: 10, usual: 2 };
const MAX_PRIORITY = 3;

/** Payload of a `command` that replaces the screens whose changed rows the client gets. */
export const ScreensWatchCommand = z.object({
  action: z.literal('screens:watch'),
  views: z
    .array(
      z.object({
        terminalId: z.string(),
        /** Most frames a second. */
        fps: z.number().min(FPS.min).max(FPS.max).default(FPS.usual),
        /** Views of a higher priority come first where there is more to send than there is time. */
        priority: z.int().min(0).max(MAX_PRIORITY).default(0),
      }),
    )
    .max(MAX_SCREEN_VIEWS),
});
export type ScreenViewRequest = z.infer<typeof ScreensWatchCommand>['views'][number];

/** Payload that {@link ScreensWatchCommand} needs, for error texts. */
export const SCREENS_WATCH_NEEDS = `views: at most ${MAX_SCREEN_VIEWS} of {terminalId, fps?: ${FPS.min} to ${FPS.max}, priority?: 0 to ${MAX_PRIORITY}}`;

/** Payload of a `command` that requests all rows of a watched screen. */
export const ScreensResyncCommand = z.object({
  action: z.literal('screens:resync'),
  terminalId: z.string(),
});

/** Text with its colours and RUN_FLAGS; `columns` only if they differ from one for each UTF-16 unit. */
type StyledRun = [text: string, fg: number, bg: number, flags: number, columns?: number];

/** Text of a row in one style; a plain string has the default style and takes a column for each UTF-16 unit. */
export type Run = string | StyledRun;

/** Data of the event `screen.rows`: the rows of a screen that have changed since the frame `from`. */
export interface ScreenRows {
  /** Number of this frame, which the next one builds on. */
  n: number;
  /** The frame that the client must have; null for a complete frame: rows that it leaves out are empty. */
  from: number | null;
  cols: number;
  rows: number;
  /** Whether the screen is the alternate one. */
  alt: boolean;
  /** Column and row from 0, and whether the cursor shows. */
  cursor: [col: number, row: number, isShown: boolean];
  /** Each row by its number from 0, with its runs. Plain blanks at the end of a row are left out. */
  lines: Array<[row: number, runs: Run[]]>;
  /** Set if the rows take more than a frame may: `lines` is then empty, and the client draws nothing. */
  tooLarge?: true;
}
