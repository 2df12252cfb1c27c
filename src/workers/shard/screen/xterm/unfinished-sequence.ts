import { ESC } from '../../../ascii.js';
import { unfinishedCharacter } from '../../unfinished-character.js';
import { ParserState as S } from './internals.js';

/** An unfinished sequence is kept whole up to this many bytes; see {@link UnfinishedSequence.pending}. */
export const MAX_PENDING_BYTES = 64 * 1024;

const NONE = new Uint8Array(0);

/**
 * Replacement, by parser state, for an unfinished sequence that is longer than the bound. It leads to a state in which
 * the remainder is swallowed up to its terminator and has no effect: an OSC without a number is aborted, a DCS `~` is
 * unknown, and a second `?` makes a CSI or DCS invalid.
 */
const STAND_INS: Readonly<Record<number, string>> = {
  [S.escape]: '\x1b',
  [S.escapeIntermediate]: '\x1b####',
  [S.csiEntry]: '\x1b[??',
  [S.csiParam]: '\x1b[??',
  [S.csiIntermediate]: '\x1b[??',
  [S.csiIgnore]: '\x1b[??',
  [S.sosPmApcString]: '\x1b_',
  [S.oscString]: '\x1b]x',
  [S.dcsEntry]: '\x1bP??',
  [S.dcsParam]: '\x1bP??',
  [S.dcsIntermediate]: '\x1bP??',
  [S.dcsIgnore]: '\x1bP??',
  [S.dcsPassthrough]: '\x1bP~',
};

/**
 * The unfinished end of a terminal's output: bytes of an escape sequence, and of a UTF-8 character. The parser's state
 * says whether a sequence is unfinished; this class finds its bytes.
 */
export class UnfinishedSequence {
  /** Bytes of an unfinished character. xterm does not get them, because its decoder loses some characters that are
   * cut in two: after `E2 80` it takes the next byte for the second byte. */
  #character: Uint8Array = NONE;
  /** Bytes since the introducer of the unfinished sequence, in order; empty in the ground state and past the bound. */
  #sequence: Uint8Array[] = [];
  #sequenceLength = 0;
  #state = 0;

  /** Appends `bytes` to the bytes kept back, and returns the whole characters, which must be parsed next. */
  wholeCharacters(bytes: Uint8Array): Uint8Array {
    const joined = this.#character.length > 0 ? concat([this.#character, bytes]) : bytes;
    const cut = joined.length - unfinishedCharacter(joined);
    this.#character = cut < joined.length ? joined.slice(cut) : NONE;
    return cut < joined.length ? joined.subarray(0, cut) : joined;
  }

  /** Takes note of bytes that were parsed, and of the parser's state after them. */
  parsed(bytes: Uint8Array, state: number): void {
    this.#state = state;
    if (state === S.ground) {
      if (this.#sequenceLength > 0) this.#begin(NONE);
      return;
    }
    const start = lastIntroducer(bytes);
    if (start >= 0) this.#begin(bytes.slice(start));
    else if (this.#sequenceLength <= MAX_PENDING_BYTES) this.#append(bytes.slice());
    else this.#sequenceLength += bytes.length;
  }

  /** Number of output bytes in the unfinished sequence and character. */
  get length(): number {
    return this.#sequenceLength + this.#character.length;
  }

  /**
   * Returns bytes that bring a parser from its ground state to the state of this output's parser. They are the output's
   * own bytes, with two exceptions: controls inside a CSI or ESC sequence were already executed and are left out, and a
   * sequence of more than {@link MAX_PENDING_BYTES} is replaced by a sequence that swallows the remainder.
   */
  pending(): Uint8Array {
    if (this.#sequenceLength === 0) return this.#character.slice();
    return concat([this.#sequenceBytes(), this.#character]);
  }

  #sequenceBytes(): Uint8Array {
    if (this.#sequenceLength > MAX_PENDING_BYTES) return Buffer.from(STAND_INS[this.#state] ?? '');
    const bytes = concat(this.#sequence);
    if (this.#state > S.csiIgnore) return bytes;
    return bytes.filter((byte, at) => at === 0 || byte >= 0x20);
  }

  #begin(bytes: Uint8Array): void {
    this.#sequence = [];
    this.#sequenceLength = 0;
    if (bytes.length > 0) this.#append(bytes);
  }

  #append(bytes: Uint8Array): void {
    this.#sequenceLength += bytes.length;
    // Past the bound only the length is needed.
    if (this.#sequenceLength <= MAX_PENDING_BYTES) this.#sequence.push(bytes);
    else this.#sequence = [];
  }
}

/**
 * Returns the index of the last introducer of an escape sequence, or -1. In every state of the parser, an introducer
 * begins a new sequence, so an unfinished sequence begins at the last introducer.
 */
function lastIntroducer(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= 0; at--) {
    const byte = bytes[at]!;
    if (byte === ESC) return at;
    if (byte === 0xc2 && isC1Introducer(bytes[at + 1])) return at;
  }
  return -1;
}

/** Returns whether `byte` is the second byte of the UTF-8 form of DCS, SOS, CSI, OSC, PM or APC. */
function isC1Introducer(byte: number | undefined): boolean {
  return (
    byte === 0x90 || byte === 0x98 || byte === 0x9b || (byte !== undefined && byte >= 0x9d && byte <= 0x9f)
  );
}

function concat(parts: Uint8Array[]): Uint8Array {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}
