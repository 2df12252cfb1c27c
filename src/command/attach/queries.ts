import type { Csi, Token } from './tokens.js';

/** Reports of xterm's window operations (CSI t) that are answered: state, place, sizes, icon's and window's title. */
const WINDOW_REPORTS: ReadonlySet<string> = new Set('11 13 14 15 16 18 19 20 21'.split(' '));

/** Sequences that are queries whatever their parameters: prefix, intermediate characters and final character. */
const CSI_QUERIES: ReadonlySet<string> = new Set([
  // Device attributes, first to third.
  'c',
  '>c',
  '=c',
  // Status and cursor position, with and without prefix.
  'n',
  '?n',
  // DECRQM of an ANSI mode and of a private one.
  '$p',
  '?$p',
  // XTVERSION; flags of kitty's keyboard protocol.
  '>q',
  '?u',
  // DECREQTPARM, presentation state, terminal state, upper-half set, displayed extent, checksum, locator.
  'x',
  '$w',
  '$u',
  '&u',
  '"v',
  '*y',
  "'|",
  // xterm's key modifiers and formats, graphics attributes, colour stack, SGR of an area, place of the title.
  '?m',
  '?g',
  '?S',
  '#R',
  '#|',
  '#S',
]);

/**
 * OSC whose fields are text, in which a question mark means nothing: titles, folder, link, notices, marks of shells. Of all
 * others a field that is a question mark is a query: of colours, font, selection, pointer, locale, version.
 */
const OSC_TEXTS: ReadonlySet<string> = new Set('0 1 2 3 7 8 9 66 133 633 777 3008'.split(' '));

/**
 * Modes that the service does not have, and with which we lose control of the outer terminal: private 2 when reset
 * (VT52, which understands none of our resets), 2048 (reports the size at once, and at each resize).
 */
const UNWANTED_PRIVATES: ReadonlySet<string> = new Set(['2l', '2048h']);

/** ANSI mode 2 locks the keyboard: the detach keys would be locked, too. */
const UNWANTED_ANSI: ReadonlySet<string> = new Set(['2h']);

/** Commands of OSC 1337 that iTerm2 answers. */
const ITERM_QUERY = /^(?:ReportCellSize|ReportVariable=|Capabilities$|RequestUpload=)/;

/**
 * Returns the part of a piece of output that the outer terminal gets: all of it, or nothing if it is a query. The
 * service has answered queries or left them unanswered; a second answer would be typed into the program.
 */
export function withoutQuery(token: Token): string {
  switch (token.kind) {
    case 'text':
      // ENQ and the C1 form of DECID.
      return /[\x05\x9a]/.test(token.raw) ? token.raw.replace(/[\x05\x9a]/g, '') : token.raw;
    case 'escape':
      // DECID, the oldest form of device attributes.
      return sequence(token.raw, token.intermediates === '' && token.final === 'Z');
    case 'csi':
      return withoutUnwanted(sequence(token.raw, isCsiQuery(token.csi)), token.csi);
    case 'string':
      if (isStringQuery(token.introducer, token.content)) return '';
      return token.introducer === '_' ? silenced(token.raw) : token.raw;
  }
}

function withoutUnwanted(passed: string, { prefix, parameters, intermediates, final }: Csi): string {
  if (!/^[hl]$/.test(intermediates + final)) return passed;
  const unwanted = prefix === '?' ? UNWANTED_PRIVATES : prefix === '' ? UNWANTED_ANSI : undefined;
  const modes = parameters.split(';');
  const wanted = modes.filter((mode) => !unwanted?.has(`${Number(mode)}${final}`));
  if (wanted.length === modes.length) return passed;
  return wanted.length === 0 ? '' : `\x1b[${prefix}${wanted.join(';')}${final}`;
}

/** Asks kitty's graphics protocol not to answer (q=2): it would acknowledge an image with an id. */
function silenced(raw: string): string {
  return raw.replace(/^(\x1b_|\x9f)G([^;\x1b\x9c]*)/, (_all, begin: string, keys: string) => {
    const others = keys.split(',').filter((key) => key !== '' && !key.startsWith('q='));
    return `${begin}G${['q=2', ...others].join(',')}`;
  });
}

/** Terminals execute controls within a sequence at once, so the controls of a dropped query stay. */
function sequence(raw: string, isQuery: boolean): string {
  const passed = raw.replaceAll('\x05', '');
  return isQuery ? passed.replace(/[^\x00-\x1a\x1c-\x1f]/g, '') : passed;
}

function isCsiQuery({ prefix, parameters, intermediates, final }: Csi): boolean {
  if (final === 't' && prefix === '' && intermediates === '')
    return WINDOW_REPORTS.has(String(Number(parameters.split(/[;:]/)[0])));
  return CSI_QUERIES.has(`${prefix}${intermediates}${final}`);
}

function isStringQuery(introducer: string, content: string): boolean {
  switch (introducer) {
    case ']':
      return isOscQuery(content);
    // DECRQSS, XTGETTCAP and XTGETXRES; commands for kitty, which answers them.
    case 'P':
      return /^(?:[0-9;]*(?:[$+]q|\+Q)|@kitty-cmd)/.test(content);
    // A query of kitty's graphics protocol.
    case '_':
      return /^G(?:[^;]*,)?a=q(?:[,;]|$)/.test(content);
    default:
      return false;
  }
}

function isOscQuery(content: string): boolean {
  const [code = '', ...fields] = content.split(';');
  const number = /^\d+$/.test(code) ? String(Number(code)) : '';
  if (number === '1337') return ITERM_QUERY.test(fields[0] ?? '');
  // The features that xterm allows are reported without a question mark.
  if (number === '60' || number === '61') return true;
  // A query of kitty's notifications.
  if (number === '99') return /(?:^|:)p=\?(?::|$)/.test(fields[0] ?? '');
  return (
    number !== '' && !OSC_TEXTS.has(number) && fields.some((field) => field === '?' || /^\?|=\?$/.test(field))
  );
}
