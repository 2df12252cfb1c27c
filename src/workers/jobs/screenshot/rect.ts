/** A rectangle in whole pixels. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns the rectangle between four edges. */
export function between(left: number, top: number, right: number, bottom: number): Rect {
  return { x: left, y: top, width: right - left, height: bottom - top };
}
