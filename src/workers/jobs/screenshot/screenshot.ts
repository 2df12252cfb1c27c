import { move, transferableSymbol, valueSymbol } from 'piscina';

interface ScreenshotInput {
  /** Escape sequences that draw the screen in a fresh terminal of this size. */
  snapshot: string;
  cols: number;
  rows: number;
  /** False if the program has ended. */
  hasCursor: boolean;
}

/** Resolves with the picture of a screen as PNG. */
export async function takeScreenshot({
  snapshot,
  cols,
  rows,
  hasCursor,
}: ScreenshotInput): Promise<Uint8Array> {
  // Imported late: these take 40 MB, which threads for exports and searches do not need.
  const [{ ShownScreen }, { drawPicture }] = await Promise.all([
    import('./shown-screen.js'),
    import('./picture.js'),
  ]);
  const screen = new ShownScreen(snapshot, cols, rows);
  try {
    return moved(drawPicture(screen, hasCursor));
  } finally {
    screen.dispose();
  }
}

/** Wraps a copy for the move to another thread, since the canvas library's memory cannot move. The pool unpacks it. */
function moved(png: Uint8Array): Uint8Array {
  const copy = new Uint8Array(png);
  return move({ [transferableSymbol]: [copy.buffer], [valueSymbol]: copy }) as unknown as Uint8Array;
}
