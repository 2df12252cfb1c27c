import { SCREEN_FONT } from '../screens/paint.js';
import type { Box } from './fit.js';

let context: OffscreenCanvasRenderingContext2D | null | undefined;

/** Returns the size of a cell as xterm measures it. */
export function cellAt(fontPx: number): Box {
  context ??= new OffscreenCanvas(1, 1).getContext('2d');
  if (!context) return { width: fontPx * 0.6, height: fontPx * 1.2 };
  context.font = `${fontPx}px ${SCREEN_FONT}`;
  const { width, fontBoundingBoxAscent, fontBoundingBoxDescent } = context.measureText('W');
  const ratio = window.devicePixelRatio;
  return { width, height: Math.ceil((fontBoundingBoxAscent + fontBoundingBoxDescent) * ratio) / ratio };
}
