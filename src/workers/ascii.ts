/** Bytes that control a terminal, and the bounds of ASCII text. */
export const BEL = 0x07;
export const BS = 0x08;
export const TAB = 0x09;
export const LF = 0x0a;
export const VT = 0x0b;
export const FF = 0x0c;
export const CR = 0x0d;
export const SHIFT_OUT = 0x0e;
export const ESC = 0x1b;
export const SPACE = 0x20;
export const DEL = 0x7f;
/** First byte of the C1 controls in UTF-8; the second byte is 80 to 9F. */
export const C1_LEAD = 0xc2;
