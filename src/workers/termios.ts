/** Size of a buffer for the attributes of a terminal, more than either C library needs; see termios(3). */
export const TERMIOS_BYTES = 128;

/** Offset of the local flags, and two of these. */
const LOCAL_FLAGS_AT = 12;
const ICANON = 0x02;
const ECHO = 0x08;

/** Returns whether a terminal with these attributes hands out its input line by line. */
export function takesLines(termios: Buffer): boolean {
  return (termios.readUInt32LE(LOCAL_FLAGS_AT) & ICANON) !== 0;
}

/** Returns whether a terminal with these attributes shows what is typed. */
export function echoes(termios: Buffer): boolean {
  return (termios.readUInt32LE(LOCAL_FLAGS_AT) & ECHO) !== 0;
}
