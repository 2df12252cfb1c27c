const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Returns whether a terminal may have hidden the input that it took.
 *
 * @param bytes - the input
 * @param wasHiding - whether the terminal hid input just before
 * @param isHiding - asks whether the terminal hides input at present
 */
export function mayBeHidden(bytes: Uint8Array, wasHiding: boolean, isHiding: () => boolean): boolean {
  const last = bytes.at(-1);
  if (last === undefined) return false;
  if (wasHiding) return true;
  // The line may have started the very program that hides what comes next, so the present state says nothing about the
  // line. Whether the line itself was hidden shows on the screen (stages/shown-text.ts).
  if (last === LINE_FEED || last === CARRIAGE_RETURN) return false;
  // A program may have turned off the echo since.
  return isHiding();
}
