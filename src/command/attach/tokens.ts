/** Most characters of a CSI sequence, or of the beginning of a string, that wait for the rest. */
const MAX_HELD = 4096;

const CONTROLS = /[\x00-\x1f\x7f]/g;

/** A control sequence after its first character, without controls. */
const CSI = /^\[?([<=>?]?)([0-9;:]*)([ -/]*)([@-~])$/;

/** A piece of a terminal's output. All `raw` together are the output. */
export type Token =
  /** Characters outside of any sequence, controls included; or the later part of a very long sequence. */
  | { kind: 'text'; raw: string }
  /** ESC, intermediate characters, and a final character. */
  | { kind: 'escape'; raw: string; intermediates: string; final: string }
  | { kind: 'csi'; raw: string; csi: Csi }
  /** An OSC, DCS, APC, PM or SOS; `content` is its beginning, which is all of it unless it is very long. */
  | { kind: 'string'; raw: string; introducer: StringIntroducer; content: string };

/** A control sequence, taken apart. */
export interface Csi {
  /** `<`, `=`, `>`, `?` or nothing. */
  prefix: string;
  parameters: string;
  intermediates: string;
  final: string;
}

type StringIntroducer = ']' | 'P' | '_' | '^' | 'X';

type State = 'text' | 'escape' | 'csi' | 'string' | 'stringEscape' | 'longString' | 'longStringEscape';

/** Everything that ends plain text: ESC, and the C1 controls that begin a sequence. */
const BEGINS_SEQUENCE = /[\x1b\x90\x98\x9b\x9d-\x9f]/g;

/** Everything that may end a string: BEL, CAN, SUB, ESC and ST. */
const ENDS_STRING = /[\x07\x18\x1a\x1b\x9c]/g;

/** The C1 controls that begin a sequence, and the characters that do so after ESC. */
const C1: Readonly<Record<string, string>> = {
  '\x90': 'P',
  '\x98': 'X',
  '\x9b': '[',
  '\x9d': ']',
  '\x9e': '^',
  '\x9f': '_',
};

/** Cuts output, which may come in any pieces, into text and whole escape sequences. An unfinished sequence is held. */
export class Tokenizer {
  #state: State = 'text';
  #held = '';
  #introducer: StringIntroducer = ']';
  /** Where the content of the held string begins. */
  #contentAt = 0;
  #tokens: Token[] = [];

  /** Whether part of a sequence has been returned, but not its end. */
  get isInside(): boolean {
    return this.#state === 'longString' || this.#state === 'longStringEscape';
  }

  /** Returns the tokens that the next piece of output completes. */
  take(output: string): Token[] {
    this.#tokens = [];
    let at = 0;
    while (at < output.length) at = this.#step(output, at);
    return this.#tokens;
  }

  #step(output: string, at: number): number {
    switch (this.#state) {
      case 'text':
        return this.#text(output, at);
      case 'escape':
        return this.#escape(output[at]!, at);
      case 'csi':
        return this.#csi(output[at]!, at);
      case 'string':
      case 'longString':
        return this.#string(output, at);
      default:
        return this.#stringEscape(output[at]!, at);
    }
  }

  #text(output: string, at: number): number {
    BEGINS_SEQUENCE.lastIndex = at;
    const end = BEGINS_SEQUENCE.exec(output)?.index ?? output.length;
    if (end > at) this.#emitText(output.slice(at, end));
    if (end === output.length) return end;
    this.#begin(output[end]!);
    return end + 1;
  }

  /** Begins a sequence with ESC or a C1 control. */
  #begin(character: string): void {
    this.#held = character;
    this.#state = 'escape';
    const after = C1[character];
    if (after !== undefined) this.#introduce(after);
  }

  /** Takes the character that decides which sequence it is; returns whether it begins a CSI or a string. */
  #introduce(character: string): boolean {
    if (character === '[') {
      this.#state = 'csi';
      return true;
    }
    if (!']P_^X'.includes(character)) return false;
    this.#state = 'string';
    this.#introducer = character as StringIntroducer;
    this.#contentAt = this.#held.length;
    return true;
  }

  #escape(character: string, at: number): number {
    if (breaks(character)) return this.#broken(character, at);
    const intermediates = withoutControls(this.#held.slice(1));
    this.#held += character;
    if (this.#held.length >= MAX_HELD) this.#release();
    // Terminals execute controls at once, and the sequence continues.
    else if (character < '0' || character === '\x7f') return at + 1;
    else if (intermediates !== '' || !this.#introduce(character))
      this.#emit({ kind: 'escape', raw: this.#held, intermediates, final: character });
    return at + 1;
  }

  /** Handles a character that no sequence contains: the held characters are passed on as they are. */
  #broken(character: string, at: number): number {
    this.#release();
    if (character === '\x1b' || C1[character] !== undefined) {
      this.#begin(character);
      return at + 1;
    }
    this.#emitText(character);
    return at + 1;
  }

  #csi(character: string, at: number): number {
    if (breaks(character)) return this.#broken(character, at);
    this.#held += character;
    if (character >= '@' && character <= '~') {
      const csi = parse(this.#held);
      if (csi) this.#emit({ kind: 'csi', raw: this.#held, csi });
      else this.#release();
    } else if (this.#held.length >= MAX_HELD) this.#release();
    return at + 1;
  }

  #string(output: string, at: number): number {
    ENDS_STRING.lastIndex = at;
    let end = ENDS_STRING.exec(output)?.index ?? output.length;
    if (this.#state === 'string') end = Math.min(end, at + MAX_HELD - this.#held.length);
    this.#take(output.slice(at, end));
    if (this.#state === 'string' && this.#held.length >= MAX_HELD) {
      this.#emitString();
      this.#state = 'longString';
      return end;
    }
    if (end === output.length) return end;
    const character = output[end]!;
    if (character === '\x1b') {
      if (this.#state === 'longString') {
        this.#held = character;
        this.#state = 'longStringEscape';
      } else this.#state = 'stringEscape';
      return end + 1;
    }
    this.#take(character);
    // BEL ends only an OSC.
    if (character !== '\x07' || this.#introducer === ']') this.#endString();
    return end + 1;
  }

  /** Takes the character after an ESC within a string: a backslash ends the string; so does a new sequence. */
  #stringEscape(character: string, at: number): number {
    const isLong = this.#state === 'longStringEscape';
    this.#state = isLong ? 'longString' : 'string';
    if (isLong) this.#held = '';
    if (character === '\\') {
      this.#take('\x1b\\');
      this.#endString();
      return at + 1;
    }
    this.#endString();
    this.#begin('\x1b');
    return at;
  }

  /** Takes a part of a string. */
  #take(part: string): void {
    if (this.#state === 'string') this.#held += part;
    else this.#emitText(part);
  }

  #endString(): void {
    if (this.#state === 'string') this.#emitString();
    this.#held = '';
    this.#state = 'text';
  }

  #emitString(): void {
    const content = this.#held.slice(this.#contentAt).replace(/(?:\x1b\\|[\x07\x18\x1a\x9c])$/, '');
    this.#emit({ kind: 'string', raw: this.#held, introducer: this.#introducer, content });
  }

  #emitText(raw: string): void {
    if (raw !== '') this.#tokens.push({ kind: 'text', raw });
  }

  #emit(token: Token): void {
    this.#tokens.push(token);
    this.#held = '';
    this.#state = 'text';
  }

  #release(): void {
    this.#emitText(this.#held);
    this.#held = '';
    this.#state = 'text';
  }
}

/** Whether a character ends a sequence before its time. */
function breaks(character: string): boolean {
  return character === '\x1b' || character === '\x18' || character === '\x1a' || character > '\x7f';
}

function withoutControls(text: string): string {
  return text.replace(CONTROLS, '');
}

/** Takes a control sequence apart; returns undefined if its parts are in no order that a terminal accepts. */
function parse(raw: string): Csi | undefined {
  const [, prefix, parameters, intermediates, final] = CSI.exec(withoutControls(raw.slice(1))) ?? [];
  if (prefix === undefined || final === undefined) return undefined;
  return { prefix, parameters: parameters!, intermediates: intermediates!, final };
}
