import { TAB_WIDTH } from '../xterm/columns.js';
import type { BufferInternals, XtermInternals } from '../xterm/internals.js';
import type { Output } from './output.js';
import { pastEdgeOfNormal } from './placement.js';

/** Longer titles, in UTF-16 units, are left out: a megabyte of title in each snapshot helps nobody. */
const MAX_TITLE_UNITS = 4096;

const MOUSE_PROTOCOLS: Readonly<Record<string, string>> = {
  X10: '9',
  VT200: '1000',
  DRAG: '1002',
  ANY: '1003',
};
const MOUSE_ENCODINGS: Readonly<Record<string, string>> = { SGR: '1006', SGR_PIXELS: '1016' };
const CURSOR_STYLES = { block: 1, underline: 3, bar: 5 } as const;

/** Writes the modes that change neither the meaning of later sequences nor the cursor's place. */
export function writeModes(out: Output): void {
  const { coreService, coreMouseService: mouse, optionsService } = out.core;
  const { decPrivateModes: modes, isCursorHidden } = coreService;
  const privates: string[] = [];
  const add = (isSet: boolean, mode: string | undefined) => isSet && mode && privates.push(mode);
  add(modes.applicationCursorKeys, '1');
  add(optionsService.rawOptions.cursorBlink, '12');
  add(modes.reverseWraparound, '45');
  add(modes.applicationKeypad, '66');
  add(true, MOUSE_PROTOCOLS[mouse.activeProtocol]);
  add(modes.sendFocus, '1004');
  add(true, MOUSE_ENCODINGS[mouse.activeEncoding]);
  add(modes.bracketedPasteMode, '2004');
  add(modes.synchronizedOutput, '2026');
  if (privates.length > 0) out.raw(`\x1b[?${privates.join(';')}h`);
  if (isCursorHidden) out.raw('\x1b[?25l');
  if (optionsService.rawOptions.convertEol) out.raw('\x1b[20h');
  out.raw(cursorStyle(out.core));
}

/** Returns DECSCUSR. In xterm, parameters above 6 change only whether the cursor blinks. */
function cursorStyle({ coreService }: XtermInternals): string {
  const { cursorStyle: style, cursorBlink: blink } = coreService.decPrivateModes;
  if (style === undefined) return blink === undefined ? '' : `\x1b[${blink ? 7 : 8} q`;
  return `\x1b[${CURSOR_STYLES[style] + (blink ? 0 : 1)} q`;
}

export function writeTitles(out: Output): void {
  const { _windowTitle: title, _iconName: icon } = out.core._inputHandler;
  if (Math.max(title.length, icon.length) > MAX_TITLE_UNITS) {
    out.losses.add('a very long title');
    return;
  }
  if (title === icon) {
    if (title !== '') out.raw(`\x1b]0;${title}\x07`);
    return;
  }
  if (icon !== '') out.raw(`\x1b]1;${icon}\x07`);
  if (title !== '') out.raw(`\x1b]2;${title}\x07`);
}

/** Writes the margins, if there are any; that takes the cursor home. */
export function writeMargins(out: Output, { scrollTop, scrollBottom }: BufferInternals): void {
  if (scrollTop !== 0 || scrollBottom !== out.core.rows - 1)
    out.raw(`\x1b[${scrollTop + 1};${scrollBottom + 1}r`);
}

/** Writes tab stops that are not standard; `buffer` must be active. The cursor ends anywhere. */
export function writeTabStops(out: Output, buffer: BufferInternals): void {
  const { cols } = out.core;
  if (hasStandardTabStops(buffer, cols)) return;
  const stops = tabStops(buffer);
  out.raw('\x1b[3g');
  for (const stop of stops) {
    if (stop < cols) out.moveTo(0, stop);
    else if (buffer === out.core.buffers.normal) pastEdgeOfNormal(out, 0, stop);
    else {
      out.losses.add('tab stops past the right edge of the alternate screen');
      break;
    }
    out.raw('\x1bH');
  }
}

function tabStops({ tabs }: BufferInternals): number[] {
  return Object.keys(tabs)
    .map(Number)
    .sort((a, b) => a - b);
}

/**
 * Returns whether tab stops are at every eighth column and nowhere else. Programs can also set stops past the right
 * edge, where printing can take the cursor.
 */
export function hasStandardTabStops(buffer: BufferInternals, cols: number): boolean {
  const stops = tabStops(buffer);
  return stops.length === Math.ceil(cols / TAB_WIDTH) && stops.every((stop, at) => stop === at * TAB_WIDTH);
}
