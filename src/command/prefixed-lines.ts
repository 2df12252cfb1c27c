import type { AutoTerminal } from '../client/index.js';
import { oneLine } from './one-line.js';

/** Returns the prefix of each terminal's lines: its name, or its id if terminals share a name. */
export async function prefixesOf(client: AutoTerminal, ids: readonly string[]): Promise<Map<string, string>> {
  const listed = await client.terminals.list({ status: 'all' });
  const names = new Map(listed.map(({ id, name }) => [id, oneLine(name)]));
  const isUnique = new Set(ids.map((id) => names.get(id))).size === ids.length;
  return new Map(ids.map((id) => [id, (isUnique && names.get(id)) || id]));
}

/** Output of several sources as lines, each with the name of its source. */
export class PrefixedLines {
  readonly #names: ReadonlyMap<string, string>;
  readonly #width: number;
  /** Beginnings of lines whose ends have not come. */
  readonly #rests = new Map<string, string>();

  /** @param names - by source; without a name, output passes as it is */
  constructor(names: ReadonlyMap<string, string>) {
    this.#names = names;
    this.#width = Math.max(0, ...[...names.values()].map((name) => name.length));
  }

  /** Returns the lines that this text completes. */
  take(source: string, text: string): string {
    const name = this.#names.get(source);
    if (name === undefined) return text;
    const lines = ((this.#rests.get(source) ?? '') + text).split('\n');
    this.#rests.set(source, lines.pop() ?? '');
    return lines.map((line) => this.#line(name, line)).join('');
  }

  /** Returns the unfinished line of a source, with a line end; empty if there is none. */
  rest(source: string): string {
    const text = this.#rests.get(source) ?? '';
    this.#rests.delete(source);
    return text === '' ? '' : this.#line(this.#names.get(source) ?? '', text);
  }

  #line(name: string, line: string): string {
    return `${name.padEnd(this.#width)} | ${line}\n`;
  }
}
