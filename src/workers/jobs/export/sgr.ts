/** How text is drawn; plain data. Colours are those of CSS. */
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

/** Of the page, for what is drawn inverse without colours of its own. */
const PAGE = { color: '#d7dce2', background: '#0d1117' };

const BASE = [
  ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#ffffff'],
];

/** What each of the simple parameters sets; undefined takes it away. */
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

/** The style after SGR with these parameters; unknown ones change nothing. */
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

/** Declarations for a style attribute; empty for plain text. */
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
  if (code >= 30 && code <= 37) return { color: BASE[code - 30] };
  if (code >= 40 && code <= 47) return { background: BASE[code - 40] };
  if (code >= 90 && code <= 97) return { color: BASE[code - 82] };
  if (code >= 100 && code <= 107) return { background: BASE[code - 92] };
  return {};
}

/** `38:5:n`, `38:2:r:g:b` and `38:2:space:r:g:b`. */
function colonColor([, kind, ...values]: number[]): string | undefined {
  if (kind === 5) return indexed(values[0]);
  return kind === 2 ? rgb(values.slice(values.length > 3 ? 1 : 0)) : undefined;
}

/** `38;5;n` and `38;2;r;g;b`: takes the parameters that belong to it. */
function semicolonColor(groups: number[][]): string | undefined {
  const kind = groups.shift()?.[0];
  if (kind === 5) return indexed(groups.shift()?.[0]);
  return kind === 2 ? rgb(groups.splice(0, 3).map(([value = 0]) => value)) : undefined;
}

/** A colour of the 256: the base, a cube of 6 x 6 x 6, greys. */
function indexed(index = 0): string | undefined {
  if (index < 16) return BASE[index];
  if (index > 255) return undefined;
  if (index >= 232) return rgb(Array.from({ length: 3 }, () => 8 + (index - 232) * 10));
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return rgb([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

function rgb([red = 0, green = 0, blue = 0]: number[]): string {
  return `#${[red, green, blue].map((value) => Math.min(value, 255).toString(16).padStart(2, '0')).join('')}`;
}
