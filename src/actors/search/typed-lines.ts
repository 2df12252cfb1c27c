import { MAX_TYPED_LINE_CHARS } from '../../contract/limits.js';
import type { Written } from '../../workers/pty-host/wire/typing.js';

/** Sequences that a terminal sends for keys that are not text: CSI, SS3, string sequences, and a key with Alt. */
const SEQUENCES =
  /\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|O[\x20-\x7e]|[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|[\x20-\x7e])/g;

const DELETE = '\x7f';
const BACKSPACE = '\b';
/** Keys that give the line up: Ctrl+C and Ctrl+U. */
const GIVEN_UP = new Set(['\x03', '\x15']);

/** A line that is being typed. */
interface Line {
  /** Separate strings, so that each key costs the same however long the line is; '' for keys that are not text. */
  characters: string[];
  /** Length in UTF-16 units. */
  units: number;
  /** Part of it was typed while the terminal did not echo. */
  isHidden: boolean;
  /** See {@link TypedText.position}. */
  position: number;
}

/** A line that was typed. */
export interface TypedLine {
  text: string;
  /** The same with a blank for keys that are not text, where a program may have put something. */
  typed: string;
  position: number;
}

/**
 * Puts together the lines that are typed into each terminal, as far as keystrokes show: what completion or an editor
 * makes of a line is not known here. An escape sequence ends with its write, so that an unfinished sequence
 * swallows no more than that.
 */
export class TypedLines {
  readonly #lines = new Map<string, Line>();

  /** Takes in one write and returns the lines that it finished, without empty and hidden ones. */
  add(terminalId: string, data: string, { isHidden, position }: Written): TypedLine[] {
    const finished: TypedLine[] = [];
    const fresh = (): Line => ({ characters: [], units: 0, isHidden: false, position });
    let line = this.#lines.get(terminalId) ?? fresh();
    for (const character of data.replace(SEQUENCES, '')) {
      if (character === '\r' || character === '\n') {
        const text = line.characters.join('');
        const typed = line.characters.map((each) => each || ' ').join('');
        if (text.trim() !== '' && !line.isHidden && !isHidden)
          finished.push({ text, typed, position: line.position });
        line = fresh();
      } else if (character === DELETE || character === BACKSPACE) {
        takeBack(line);
      } else if (GIVEN_UP.has(character)) {
        line = fresh();
      } else if (line.units < MAX_TYPED_LINE_CHARS) {
        const text = isControl(character) ? '' : character;
        if (text !== '' || line.characters.at(-1) !== '') line.characters.push(text);
        line.units += text.length;
        line.isHidden ||= isHidden;
      }
    }
    if (line.isHidden) Object.assign(line, { characters: [], units: 0 });
    if (line.characters.length === 0 && !line.isHidden) this.#lines.delete(terminalId);
    else this.#lines.set(terminalId, line);
    return finished;
  }

  /** Forgets the unfinished line of a terminal. */
  drop(terminalId: string): void {
    this.#lines.delete(terminalId);
  }
}

function takeBack(line: Line): void {
  let character = line.characters.pop();
  while (character === '') character = line.characters.pop();
  line.units -= character?.length ?? 0;
}

function isControl(character: string): boolean {
  const code = character.charCodeAt(0);
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}
