/** The part of xterm's parser that the rules need; @xterm/headless has it, too. */
export interface QueryParser {
  registerCsiHandler(
    id: { prefix?: string; intermediates?: string; final: string },
    handler: () => boolean,
  ): unknown;
  registerOscHandler(code: number, handler: (data: string) => boolean): unknown;
  registerDcsHandler(
    id: { prefix?: string; intermediates?: string; final: string },
    handler: () => boolean,
  ): unknown;
  registerEscHandler(id: { intermediates?: string; final: string }, handler: () => boolean): unknown;
}

/** Sequences that only ask: device attributes, status, modes, version, keys, terminal parameters, graphics. */
const CSI_QUERIES = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  { prefix: '>', final: 'q' },
  { prefix: '?', final: 'u' },
  { final: 'x' },
  { prefix: '?', final: 'S' },
  // Window operations; the terminals of a page have no windows.
  { final: 't' },
];

/** DECRQSS, XTGETTCAP, XTGETXRES. */
const DCS_QUERIES = [
  { intermediates: '$', final: 'q' },
  { intermediates: '+', final: 'q' },
  { intermediates: '+', final: 'Q' },
];

/** Colours that a program can set or ask for: of the palette, text, background, cursor. */
const COLORS = [4, 10, 11, 12];

/**
 * Drops queries before xterm answers them. The service has answered them, or has left them unanswered; a second answer
 * would be typed into the program.
 */
export function swallowQueries(parser: QueryParser): void {
  for (const id of CSI_QUERIES) parser.registerCsiHandler(id, () => true);
  for (const id of DCS_QUERIES) parser.registerDcsHandler(id, () => true);
  // DECID, the oldest form of device attributes.
  parser.registerEscHandler({ final: 'Z' }, () => true);
  for (const code of COLORS)
    parser.registerOscHandler(code, (data) => data.split(';').some((slot) => slot === '?'));
}
