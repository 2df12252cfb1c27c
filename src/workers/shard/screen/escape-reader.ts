const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const DEL = 0x7f;

/** A sequence with more parameters than this is taken for one that moves the cursor. */
const MAX_PARAMETERS_CHARS = 128;

/** What a sequence means for text that is only ever written forward, line by line. */
export type Effect =
  /** None: colours, titles, links, marks, modes of keyboard and mouse, questions. */
  | 'none'
  /** It erases what stands after the cursor, where nothing has been written yet. */
  | 'erasesAfter'
  /** It moves the cursor, erases, or is not known. */
  | 'moves';

/** Modes that change nothing of what is written: keys, blinking, cursor, mouse, focus, paste, repainting. */
const QUIET_MODES: ReadonlySet<string> = new Set(
  '1 12 13 25 66 1000 1002 1003 1004 1005 1006 1007 1015 1016 1034 1036 1039 2004 2026 2031'.split(' '),
);

type State = 'ground' | 'escape' | 'csi' | 'osc' | 'string';

/** Goes through one escape sequence after the other, which may be cut anywhere, as xterm's parser does. */
export class EscapeReader {
  #state: State = 'ground';
  /** Prefix, parameters and intermediate characters. */
  #collected = '';
  /** A control within the sequence has been executed. */
  #isDisturbed = false;
  #previous = 0;

  /** Within a sequence. */
  get isOpen(): boolean {
    return this.#state !== 'ground';
  }

  /** ESC has been read. */
  open(): void {
    this.#state = 'escape';
    this.#collected = '';
    this.#isDisturbed = false;
  }

  /**
   * Takes the next byte of the sequence. Gives its effect where that was the last one; a byte that is no part of
   * the sequence, which nothing but broken output has, is swallowed with it.
   */
  take(byte: number): Effect | undefined {
    const previous = this.#previous;
    this.#previous = byte;
    if (byte === ESC) {
      this.open();
      return undefined;
    }
    if (byte === CAN || byte === SUB) return this.#end('none');
    if (this.#state === 'osc' || this.#state === 'string') {
      const isBel = byte === BEL && this.#state === 'osc';
      // The end as C1, which is C2 9C in UTF-8.
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
    // SGR and key modes; questions; reports of the window; cursor style and protection.
    case 'm':
    case 'c':
    case 'n':
    case 't':
    case 'q':
      return 'none';
    case 'J':
    case 'K':
      return /^\??0?$/.test(collected) ? 'erasesAfter' : 'moves';
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
    // Saves the cursor; with parameters it would be something else.
    case 's':
      return collected === '' ? 'none' : 'moves';
    // The keyboard protocol of kitty; without prefix the cursor is restored.
    case 'u':
      return isPlain ? 'moves' : 'none';
    default:
      return 'moves';
  }
}

function escapeEffect(intermediates: string, final: string): Effect {
  switch (intermediates) {
    // The end of a string, keypad modes, and a cursor that is saved.
    case '':
      return '\\=>7'.includes(final) ? 'none' : 'moves';
    // ASCII is what is there already; the other sets count only once they are shifted in.
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
