import { type SgrStyle, sgrColor } from '../../sgr.js';
import { indexed, PAGE, rgb } from '../palette.js';

/** Returns CSS declarations for a style attribute; empty for plain text. */
export function cssOf(style: SgrStyle): string {
  let color = cssColor(style.foreground);
  let background = cssColor(style.background);
  if (style.inverse) [color, background] = [background ?? PAGE.background, color ?? PAGE.color];
  if (style.hidden) color = 'transparent';
  const lines = [style.underline && 'underline', style.struck && 'line-through'].filter(Boolean).join(' ');
  return [
    color && `color:${color}`,
    background && `background:${background}`,
    style.bold && 'font-weight:bold',
    style.dim && 'opacity:.6',
    style.italic && 'font-style:italic',
    lines && `text-decoration:${lines}`,
  ]
    .filter(Boolean)
    .join(';');
}

function cssColor(parameters: string | undefined): string | undefined {
  if (parameters === undefined) return undefined;
  const color = sgrColor(parameters);
  return typeof color === 'number' ? indexed(color) : color && rgb(color);
}
