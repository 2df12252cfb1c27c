/** Bytes of ASCII that control a terminal, and the bounds of its text. */
export const BEL = 0x07;
export const BS = 0x08;
export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const ESC = 0x1b;
export const SPACE = 0x20;
export const DEL = 0x7f;
