import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { DrawingKit } from './skia/kit.js';

interface ScreenshotInput {
  /** Escape sequences that draw the screen in a fresh terminal of this size. */
  snapshot: string;
  cols: number;
  rows: number;
  /** False if the program has ended. */
  hasCursor: boolean;
}

/** The tools of this thread, kept since loading them takes tenths of a second. */
let kit: DrawingKit | undefined;

/** Resolves with the picture of a screen as PNG. */
export async function takeScreenshot({
  snapshot,
  cols,
  rows,
  hasCursor,
}: ScreenshotInput): Promise<Uint8Array> {
  // Imported late: these take 60 MB, which threads for exports and searches do not need.
  const [{ ShownScreen }, { drawPicture }, { loadKit }] = await Promise.all([
    import('./shown-screen.js'),
    import('./picture.js'),
    import('./skia/kit.js'),
  ]);
  kit ??= await loadKit();
  const screen = new ShownScreen(snapshot, cols, rows);
  try {
    return moved(drawPicture(kit, screen, hasCursor));
  } catch (error) {
    // Skia may have stopped midway, for example for lack of memory, and can draw nothing after that.
    kit = undefined;
    throw error;
  } finally {
    screen.dispose();
  }
}

/** Wraps a picture for the move to another thread. The pool unpacks it. */
function moved(png: Uint8Array): Uint8Array {
  return move({ [transferableSymbol]: [png.buffer], [valueSymbol]: png }) as unknown as Uint8Array;
}
