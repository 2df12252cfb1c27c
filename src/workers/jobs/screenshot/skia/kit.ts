import type { CanvasKit } from 'canvaskit-wasm';
import { Fonts } from '../fonts/fonts.js';
import { loadSkia } from './load.js';

/** Tools that draw all pictures of a thread. */
export interface DrawingKit {
  skia: CanvasKit;
  fonts: Fonts;
}

export async function loadKit(): Promise<DrawingKit> {
  const skia = await loadSkia();
  return { skia, fonts: new Fonts(skia) };
}
