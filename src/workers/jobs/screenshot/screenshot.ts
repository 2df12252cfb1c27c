import { move, transferableSymbol, valueSymbol } from 'piscina';

interface ScreenshotInput {
  /** Escape sequences that draw the screen in a fresh terminal of this size. */
  snapshot: string;
  cols: number;
  rows: number;
  /** False of a program that has ended. */
  hasCursor: boolean;
}

/** The picture of a screen, as PNG. */
export async function takeScreenshot({
  snapshot,
  cols,
  rows,
  hasCursor,
}: ScreenshotInput): Promise<Uint8Array> {
  // Threads that export or search need none of the 40 MB that these take.
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

/** The pool unpacks it. The canvas library's own memory cannot be moved to another thread, a copy can. */
function moved(png: Uint8Array): Uint8Array {
  const copy = new Uint8Array(png);
  return move({ [transferableSymbol]: [copy.buffer], [valueSymbol]: copy }) as unknown as Uint8Array;
}
