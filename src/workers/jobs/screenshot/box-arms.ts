/** Lines from the middle of a cell to its edges: 0 none, 1 light, 2 heavy, 3 double. */
export interface Arms {
  up: number;
  right: number;
  down: number;
  left: number;
}

/** Arms (up, right, down, left) of U+2500 to U+257F, sixteen characters per row; `....` is drawn in another way. */
const TABLE = `
  0101 0202 1010 2020 .... .... .... .... .... .... .... .... 0110 0210 0120 0220
  0011 0012 0021 0022 1100 1200 2100 2200 1001 1002 2001 2002 1110 1210 2110 1120
  2120 2210 1220 2220 1011 1012 2011 1021 2021 2012 1022 2022 0111 0112 0211 0212
  0121 0122 0221 0222 1101 1102 1201 1202 2101 2102 2201 2202 1111 1112 1211 1212
  2111 1121 2121 2112 2211 1122 1221 2212 1222 2122 2221 2222 .... .... .... ....
  0303 3030 0310 0130 0330 0013 0031 0033 1300 3100 3300 1003 3001 3003 1310 3130
  3330 1013 3031 3033 0313 0131 0333 1303 3101 3303 1313 3131 3333 .... .... ....
  .... .... .... .... 0001 1000 0100 0010 0002 2000 0200 0020 0201 1020 0102 2010
`
  .trim()
  .split(/\s+/);

/** Returns the lines of a box drawing character; undefined for other characters, and for any that is drawn in another way. */
export function armsOf(codePoint: number): Arms | undefined {
  const entry = TABLE[codePoint - 0x2500];
  if (entry === undefined || entry === '....') return undefined;
  const [up = 0, right = 0, down = 0, left = 0] = [...entry].map(Number);
  return { up, right, down, left };
}
