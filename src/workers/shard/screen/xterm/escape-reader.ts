import { BEL, DEL, ESC } from '../../../ascii.js';

const CAN = 0x18;
const SUB = 0x1a;

/** Most characters of a CSI sequence before its final character; a longer sequence counts as moving the cursor. */
const MAX_PARAMETERS_CHARS = 128;

/** Effect of a sequence on text that is only written forward, line by line. */
export type Effect =
  /** No effect: colours, titles, links, marks, keyboard and mouse modes, queries. */
  | 'none'
  /** Erases after the cursor, where nothing has been written yet. */
  | 'erasesAfter'
  /** Moves the cursor within its row, or changes text of that row. */
  | 'movesInRow'
  /** Moves the cursor elsewhere, erases other text, changes how text is written, or is unknown. */
  | 'moves';

/** Modes that do not affect written text: keys, blinking, cursor, mouse, focus, paste, synchronized output. */
const QUIET_MODES: ReadonlySet<string> = new Set(
  '1 12 13 25 66 1000 1002 1003 1004 1005 1006 1007 1015 1016 1034 1036 1039 2004 2026 2031'.split(' '),
);

type State = 'ground' | 'escape' | 'csi' | 'osc' | 'string';

/** Reads escape sequences, which may arrive cut anywhere, byte by byte as xterm's parser does. */
export class EscapeReader {
  #state: State = 'ground';
  /** Prefix, parameters and intermediate characters so far. */
  #collected = '';
  /** Whether the sequence contains a control, which is executed at once, or is too long: it then counts as moving the cursor. */
  #isDisturbed = false;
  #previous = 0;

  /** Whether a sequence has begun and not ended. */
  get isOpen(): boolean {
    return this.#state !== 'ground';
  }

  /** Begins a sequence; the caller has read ESC. */
  open(): void {
    this.#state = 'escape';
    this.#collected = '';
    this.#isDisturbed = false;
  }

  /**
   * Takes the next byte of the sequence and returns the sequence's effect if that byte ends it. A byte that does not
   * belong to the sequence, which occurs only in broken output, is swallowed with it.
   */
  take(byte: number): Effect | undefined {
    const previous = this.#previous;
    this.#previous = byte;
    if (byte === ESC) {
      const wasDisturbed = this.#isDisturbed;
      this.open();
      // A control in the sequence that this one replaces was executed all the same.
      this.#isDisturbed = wasDisturbed;
      return undefined;
    }
    if (byte === CAN || byte === SUB) return this.#end('none');
    if (this.#state === 'osc' || this.#state === 'string') {
      const isBel = byte === BEL && this.#state === 'osc';
      // The C1 string terminator is C2 9C in UTF-8.
      return isBel || (byte === 0x9c && previous === 0xc2) ? this.#end('none') : undefined;
    }
    if (byte < 0x20) {
      this.#isDisturbed = true;
      return undefined;
    }
    if (byte === DEL) return undefined;
    if (byte > DEL) return this.#end('moves');
    return this.#state === 'csi' ? this.#inCsi(byte) : this.#inEscape(byte);
  }

  #inEscape(byte: number): Effect | undefined {
    const character = String.fromCharCode(byte);
    if (byte < 0x30) {
      this.#collected += character;
      return undefined;
    }
    if (this.#collected !== '') return this.#end(escapeEffect(this.#collected, character));
    if (character === '[') this.#state = 'csi';
    else if (character === ']') this.#state = 'osc';
    else if ('PX^_'.includes(character)) this.#state = 'string';
    else return this.#end(escapeEffect('', character));
    return undefined;
  }

  #inCsi(byte: number): Effect | undefined {
    const character = String.fromCharCode(byte);
    if (byte >= 0x40) return this.#end(csiEffect(this.#collected, character));
    if (this.#collected.length < MAX_PARAMETERS_CHARS) this.#collected += character;
    else this.#isDisturbed = true;
    return undefined;
  }

  #end(effect: Effect): Effect {
    this.#state = 'ground';
    return this.#isDisturbed ? 'moves' : effect;
  }
}

function csiEffect(collected: string, final: string): Effect {
  const isPlain = /^[0-9;]*$/.test(collected);
  switch (final) {
    // SGR and key modes (m), queries (c, n), window reports (t), cursor style and protection (q).
    case 'm':
    case 'c':
    case 'n':
    case 't':
    case 'q':
      return 'none';
    case 'J':
      return /^\??0?$/.test(collected) ? 'erasesAfter' : 'moves';
    case 'K':
      if (/^\??0?$/.test(collected)) return 'erasesAfter';
      return /^\??[12]$/.test(collected) ? 'movesInRow' : 'moves';
    // Right, left, to a column; insert, delete, erase and repeat characters; tabs forward and backward.
    case 'C':
    case 'D':
    case 'G':
    case '`':
    case 'a':
    case '@':
    case 'P':
    case 'X':
    case 'b':
    case 'I':
    case 'Z':
      return isPlain ? 'movesInRow' : 'moves';
    case 'h':
    case 'l':
      return collected.startsWith('?') &&
        collected
          .slice(1)
          .split(';')
          .every((mode) => QUIET_MODES.has(mode))
        ? 'none'
        : 'moves';
    case 'p':
      return collected.endsWith('$') ? 'none' : 'moves';
    // Saves the cursor; with parameters it is another sequence.
    case 's':
      return collected === '' ? 'none' : 'moves';
    // With a prefix, kitty's keyboard protocol; without, it restores the cursor.
    case 'u':
      return isPlain ? 'moves' : 'none';
    default:
      return 'moves';
  }
}

function escapeEffect(intermediates: string, final: string): Effect {
  switch (intermediates) {
    // String terminator, keypad modes, and saving the cursor.
    case '':
      return '\\=>7'.includes(final) ? 'none' : 'moves';
    // ASCII as G0 is the default. Sets G1 to G3 take effect only once shifted in, and shifts count as moves.
    case '(':
      return final === 'B' ? 'none' : 'moves';
    case ')':
    case '*':
    case '+':
    case '-':
    case '.':
    case '/':
    case '%':
      return 'none';
    default:
      return 'moves';
  }
}
