import { MAX_TYPED_LINE_CHARS } from '../../contract/limits.js';

/** What a terminal sends for keys that are no text: CSI, SS3, string sequences, and a key with Alt. */
const SEQUENCES =
  /\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|O[\x20-\x7e]|[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|[\x20-\x7e])/g;

const DELETE = '\x7f';
const BACKSPACE = '\b';
/** The line is given up: Ctrl+C and Ctrl+U. */
const GIVEN_UP = new Set(['\x03', '\x15']);

/** A line that is being typed. */
interface Line {
  /** Apart, so that each key costs the same, however long the line is. */
  characters: string[];
  /** Length in UTF-16 units. */
  units: number;
}

/**
 * Puts together the lines that are typed into each terminal, as far as keystrokes tell: what completion or an editor
 * makes of them is the program's. A sequence does not reach from one write into the next, so that one that is never
 * finished swallows no more than its write.
 */
export class TypedLines {
  readonly #lines = new Map<string, Line>();

  /** Takes in one write and gives the lines that it finished, without empty ones. */
  add(terminalId: string, data: string): string[] {
    const finished: string[] = [];
    let line = this.#lines.get(terminalId) ?? { characters: [], units: 0 };
    for (const character of data.replace(SEQUENCES, '')) {
      if (character === '\r' || character === '\n') {
        const text = line.characters.join('');
        if (text.trim() !== '') finished.push(text);
        line = { characters: [], units: 0 };
      } else if (character === DELETE || character === BACKSPACE) {
        line.units -= line.characters.pop()?.length ?? 0;
      } else if (GIVEN_UP.has(character)) {
        line = { characters: [], units: 0 };
      } else if (!isControl(character) && line.units < MAX_TYPED_LINE_CHARS) {
        line.characters.push(character);
        line.units += character.length;
      }
    }
    if (line.units === 0) this.#lines.delete(terminalId);
    else this.#lines.set(terminalId, line);
    return finished;
  }

  /** Forgets a line that is not finished. */
  drop(terminalId: string): void {
    this.#lines.delete(terminalId);
  }
}

function isControl(character: string): boolean {
  const code = character.charCodeAt(0);
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}
