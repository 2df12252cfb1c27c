/** Style of a piece of text. */
export type Style = 'bold' | 'dim' | 'underline' | 'reverse' | 'red' | 'green' | 'yellow' | 'cyan';

const CODES: Readonly<Record<Style, string>> = {
  bold: '1',
  dim: '2',
  underline: '4',
  reverse: '7',
  red: '31',
  green: '32',
  yellow: '1;33',
  cyan: '36',
};

const COLORS: ReadonlySet<Style> = new Set(['red', 'green', 'yellow', 'cyan']);

/** Returns a text in these styles. Without colours, only styles that are no colours apply. */
export type Painter = (text: string, ...styles: (Style | undefined)[]) => string;

export function painter(isColored: boolean): Painter {
  return (text, ...styles) => {
    const codes = styles
      .filter((style) => style !== undefined)
      .filter((style) => isColored || !COLORS.has(style))
      .map((style) => CODES[style]);
    return codes.length === 0 ? text : `\x1b[${codes.join(';')}m${text}\x1b[m`;
  };
}
