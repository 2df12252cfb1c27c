import { MAX_TYPED_LINE_CHARS } from '../../contract/limits.js';
import type { Written } from '../../workers/pty-host/typing.js';

/** What a terminal sends for keys that are no text: CSI, SS3, string sequences, and a key with Alt. */
const SEQUENCES =
  /\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|O[\x20-\x7e]|[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|[\x20-\x7e])/g;

const DELETE = '\x7f';
const BACKSPACE = '\b';
/** The line is given up: Ctrl+C and Ctrl+U. */
const GIVEN_UP = new Set(['\x03', '\x15']);

/** A line that is being typed. */
interface Line {
  /** Apart, so that each key costs the same, however long the line is; '' for a key that is no text. */
  characters: string[];
  /** Length in UTF-16 units. */
  units: number;
  /** Some of it was typed where the terminal did not echo it. */
  isHidden: boolean;
  /** See {@link TypedText.position}. */
  position: number;
}

/** A line that was typed. */
export interface TypedLine {
  text: string;
  /** The same with a blank for each key that is no text: a program may have put something there. */
  typed: string;
  position: number;
}

/**
 * Puts together the lines that are typed into each terminal, as far as keystrokes tell: what completion or an editor
 * makes of them is the program's. A sequence does not reach from one write into the next, so that one that is never
 * finished swallows no more than its write.
 */
export class TypedLines {
  readonly #lines = new Map<string, Line>();

  /** Takes in one write and gives the lines that it finished, without empty and hidden ones. */
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

  /** Forgets a line that is not finished. */
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
