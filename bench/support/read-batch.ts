/** Separator between the name of a terminal and its line. */
const SEPARATOR = ' | ';

/** Expected output and exit code of each terminal. */
export interface Expected {
  /** Number of lines. */
  lines: number;
  lineOf(id: string, index: number): string;
  exitCode: number;
}

/** Reads the output of `batch run`: lines after their terminals' names, then rows with tabs: id, name, exit code. */
export class BatchReader {
  readonly #expected: Expected;
  /** Ids by name. */
  readonly #ids: ReadonlyMap<string, string>;
  /** Number of lines so far, by id. */
  readonly #lines = new Map<string, number>();
  /** Exit codes in the table, by id. */
  readonly #codes = new Map<string, string>();
  readonly #wrong = new Set<string>();

  /** @param names - names of the terminals by id, each of them once */
  constructor(names: ReadonlyMap<string, string>, expected: Expected) {
    this.#expected = expected;
    this.#ids = new Map([...names].map(([id, name]) => [name, id]));
  }

  /** Takes the next line of the output. Throws if it belongs to no terminal. */
  take(line: string): void {
    const at = line.indexOf(SEPARATOR);
    const id = this.#ids.get(line.slice(0, Math.max(at, 0)).trimEnd());
    if (id === undefined) {
      this.#takeRow(line);
      return;
    }
    const index = this.#lines.get(id) ?? 0;
    if (this.#expected.lineOf(id, index) !== line.slice(at + SEPARATOR.length)) this.#wrong.add(id);
    this.#lines.set(id, index + 1);
  }

  /** Number of terminals with all of their lines in order, no other lines, and one row with the right exit code. */
  get right(): number {
    const { lines, exitCode } = this.#expected;
    const isRight = (id: string) =>
      !this.#wrong.has(id) && this.#lines.get(id) === lines && this.#codes.get(id) === String(exitCode);
    return [...this.#ids.values()].filter(isRight).length;
  }

  #takeRow(line: string): void {
    const [id = '', , code = ''] = line.split('\t');
    if (![...this.#ids.values()].includes(id))
      throw new Error(`a line without the id of a terminal: ${line}`);
    if (this.#codes.has(id)) this.#wrong.add(id);
    this.#codes.set(id, code);
  }
}
