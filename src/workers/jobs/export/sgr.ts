import { indexed, PAGE, rgb } from '../palette.js';

/** Style of text; plain data. Colours are CSS colours. */
export interface Style {
  color?: string;
  background?: string;
  isBold?: boolean;
  isDim?: boolean;
  isItalic?: boolean;
  isUnderlined?: boolean;
  isStruck?: boolean;
  isInverse?: boolean;
  isHidden?: boolean;
}

/** Effect of each simple parameter; undefined resets. */
const SIMPLE: Record<number, Style> = {
  1: { isBold: true },
  2: { isDim: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  7: { isInverse: true },
  8: { isHidden: true },
  9: { isStruck: true },
  21: { isUnderlined: true },
  22: { isBold: undefined, isDim: undefined },
  23: { isItalic: undefined },
  24: { isUnderlined: undefined },
  27: { isInverse: undefined },
  28: { isHidden: undefined },
  29: { isStruck: undefined },
  39: { color: undefined },
  49: { background: undefined },
};

/** Returns the style after an SGR sequence with these parameters; unknown parameters change nothing. */
export function applySgr(style: Style, params: string): Style {
  if (/[^0-9;:]/.test(params)) return style;
  let next: Style = { ...style };
  const groups = params.split(';').map((group) => group.split(':').map(Number));
  while (groups.length > 0) {
    const group = groups.shift()!;
    const [code = 0] = group;
    if (code === 0) next = {};
    else if (code === 4 && group[1] === 0) next.isUnderlined = undefined;
    else if (code === 38 || code === 48) {
      const color = group.length > 1 ? colonColor(group) : semicolonColor(groups);
      if (color !== undefined) next[code === 38 ? 'color' : 'background'] = color;
    } else if (code === 58) {
      if (group.length === 1) semicolonColor(groups);
    } else Object.assign(next, SIMPLE[code], baseColor(code));
  }
  return next;
}

/** Returns CSS declarations for a style attribute; empty for plain text. */
export function cssOf(style: Style): string {
  let { color, background } = style;
  if (style.isInverse) [color, background] = [background ?? PAGE.background, color ?? PAGE.color];
  if (style.isHidden) color = 'transparent';
  const lines = [style.isUnderlined && 'underline', style.isStruck && 'line-through']
    .filter(Boolean)
    .join(' ');
  return [
    color && `color:${color}`,
    background && `background:${background}`,
    style.isBold && 'font-weight:bold',
    style.isDim && 'opacity:.6',
    style.isItalic && 'font-style:italic',
    lines && `text-decoration:${lines}`,
  ]
    .filter(Boolean)
    .join(';');
}

function baseColor(code: number): Style {
  if (code >= 30 && code <= 37) return { color: indexed(code - 30) };
  if (code >= 40 && code <= 47) return { background: indexed(code - 40) };
  if (code >= 90 && code <= 97) return { color: indexed(code - 82) };
  if (code >= 100 && code <= 107) return { background: indexed(code - 92) };
  return {};
}

/** Returns the colour of `38:5:n`, `38:2:r:g:b` or `38:2:space:r:g:b`. */
function colonColor([, kind, ...values]: number[]): string | undefined {
  if (kind === 5) return indexed(values[0]);
  return kind === 2 ? rgb(values.slice(values.length > 3 ? 1 : 0)) : undefined;
}

/** Returns the colour of `38;5;n` or `38;2;r;g;b`, and removes its parameters from `groups`. */
function semicolonColor(groups: number[][]): string | undefined {
  const kind = groups.shift()?.[0];
  if (kind === 5) return indexed(groups.shift()?.[0]);
  return kind === 2 ? rgb(groups.splice(0, 3).map(([value = 0]) => value)) : undefined;
}
