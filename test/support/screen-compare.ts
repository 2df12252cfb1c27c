import serialize from '@xterm/addon-serialize';
import type { ITerminalAddon, Terminal } from '@xterm/headless';
import {
  type Attributes,
  asForgottenLink,
  cellAttributes,
  cursorAttributes,
} from '../../src/workers/shard/screen/serialize/attributes.js';
import { textAt } from '../../src/workers/shard/screen/serialize/cells.js';
import {
  type AttributeInternals,
  type BufferInternals,
  type Charset,
  internals,
  type LineInternals,
  type XtermInternals,
} from '../../src/workers/shard/screen/xterm/internals.js';

export interface StateOptions {
  /** Whether the lines above the screen count, and state that depends on their number. */
  scrollback: boolean;
  /**
   * Whether the copy was made some time ago. xterm forgets links when the last rows that contained them go, and a copy
   * has the underline of a forgotten link, so a link then counts as that underline. Without scrollback, saved cursors
   * also scroll along differently.
   */
  isLater: boolean;
}

/** All state that determines a terminal's further behaviour, by name; equal screens have equal states. */
type State = Map<string, string>;

function stateOf(term: Terminal, options: StateOptions): State {
  return new StateReader(internals(term), options).read();
}

/**
 * Throws with the parts that differ, at most 12 of them. Compares the parts that this file reads from xterm's memory,
 * and the output of xterm's own serializer, which shares no code with the product.
 */
export function assertSameState(actual: Terminal, expected: Terminal, options: StateOptions): void {
  const differences = compareStates(stateOf(actual, options), stateOf(expected, options));
  if (differences.length > 0) throw new Error(`screens differ:\n${differences.slice(0, 12).join('\n')}`);
  // xterm's serializer writes the underline of a link, but not that of a forgotten link.
  if (options.isLater) return;
  const [is, should] = [actual, expected].map((term) => serializedByXterm(term, options));
  if (is !== should)
    throw new Error(`xterm serializes\n  ${JSON.stringify(is)}\ninstead of\n  ${JSON.stringify(should)}`);
}

function serializedByXterm(term: Terminal, { scrollback }: StateOptions): string {
  const addon = new serialize.SerializeAddon();
  // The addon reads only what the headless terminal has, too.
  term.loadAddon(addon as unknown as ITerminalAddon);
  try {
    return addon.serialize(scrollback ? {} : { scrollback: 0 });
  } finally {
    addon.dispose();
  }
}

function compareStates(actual: State, expected: State): string[] {
  const differences: string[] = [];
  for (const name of new Set([...expected.keys(), ...actual.keys()])) {
    const is = actual.get(name);
    const should = expected.get(name);
    if (is !== should) differences.push(`  ${name}\n    is     ${is}\n    should ${should}`);
  }
  return differences;
}

class StateReader {
  readonly #core: XtermInternals;
  readonly #options: StateOptions;
  readonly #state: State = new Map();
  /** Numbers of links in the order in which they are found. */
  readonly #links = new Map<number, number>();

  constructor(core: XtermInternals, options: StateOptions) {
    this.#core = core;
    this.#options = options;
  }

  read(): State {
    const { buffers, coreService, coreMouseService, optionsService, _inputHandler: input } = this.#core;
    const isAlternate = buffers.active === buffers.alt;
    this.#set('size', [this.#core.cols, this.#core.rows]);
    this.#set('buffer', isAlternate ? 'alternate' : 'normal');
    this.#readBuffer('normal', buffers.normal, true);
    this.#readBuffer('alternate', buffers.alt, isAlternate);
    this.#set('modes', { ...coreService.modes, ...coreService.decPrivateModes });
    this.#set('hidden', coreService.isCursorHidden);
    this.#set('mouse', [coreMouseService.activeProtocol, coreMouseService.activeEncoding]);
    const { cursorBlink, convertEol } = optionsService.rawOptions;
    this.#set('options', [cursorBlink, convertEol]);
    const { charset, glevel, _charsets } = this.#core._charsetService;
    this.#set('charset', [nameOf(charset), glevel, ...[0, 1, 2, 3].map((set) => nameOf(_charsets[set]))]);
    this.#set('titles', [input._windowTitle, input._iconName]);
    this.#set('attributes', this.#attributes(cursorAttributes(input._curAttrData)));
    this.#set('parser', input._parser.currentState);
    this.#set('preceding width', (input._parser.precedingJoinState >> 1) & 3);
    return this.#state;
  }

  #readBuffer(name: string, buffer: BufferInternals, isShown: boolean): void {
    const { scrollback, isLater } = this.#options;
    const top = scrollback ? 0 : buffer.ybase;
    const rows = this.#core.rows;
    this.#set(`${name} tabs`, Object.keys(buffer.tabs));
    const saved = cellAttributes(buffer.savedCurAttrData.fg, buffer.savedCurAttrData.bg);
    // Without the lines above the screen, all positions above it count as the same row.
    const screenY = isLater ? 0 : clamp(buffer.savedY - buffer.ybase, 0, rows - 1);
    const savedY = scrollback ? buffer.savedY : screenY;
    this.#set(`${name} saved`, [buffer.savedX, savedY, flags(saved), nameOf(buffer.savedCharset)]);
    if (!isShown) return;
    if (scrollback) this.#set(`${name} base`, [buffer.ybase, buffer.lines.length]);
    this.#set(`${name} cursor`, [buffer.x, buffer.y]);
    this.#set(`${name} margins`, [buffer.scrollTop, buffer.scrollBottom]);
    for (let index = top; index < buffer.ybase + rows; index++) {
      this.#set(`${name} row ${index - buffer.ybase}`, this.#row(buffer.lines.get(index)));
    }
  }

  #row(line: LineInternals | undefined): string {
    if (!line) return 'none';
    let cells = line.isWrapped ? 'wrapped ' : '';
    let last = '';
    for (let col = 0; col < line.length; col++) {
      const width = line._data[col * 3]! >>> 22;
      const [fg, bg] = [line._data[col * 3 + 1]!, line._data[col * 3 + 2]!];
      const attributes = fg || bg ? this.#attributes(cellAttributes(fg, bg, line._extendedAttrs[col])) : '';
      if (attributes !== last) cells += `<${attributes}>`;
      last = attributes;
      const text = textAt(line, col);
      const shown = text === '' ? (width === 1 ? '_' : '.') : JSON.stringify(text).slice(1, -1);
      cells +=
        text !== '' && width !== 1 ? `{${shown}:${width}}` : text === '' && width === 2 ? '{:2}' : shown;
    }
    return cells;
  }

  #attributes(read: Attributes): string {
    const attributes = this.#options.isLater && read.link !== 0 ? asForgottenLink(read) : read;
    const { style, underlineColor, link } = attributes;
    const extended = `${style}:${Math.max(0, underlineColor).toString(16)}:${this.#link(link)}`;
    return extended === '0:0:' ? flags(attributes) : `${flags(attributes)} ${extended}`;
  }

  #link(link: number): string {
    if (link === 0) return '';
    if (!this.#links.has(link)) this.#links.set(link, this.#links.size);
    const number = `link${this.#links.get(link)}`;
    const data = this.#core._oscLinkService.getLinkData(link);
    // Leaves out the ids that the serializer gives to links without an id.
    const id = data?.id?.startsWith('at') ? '' : (data?.id ?? '');
    return `${number} ${id} ${data?.uri}`;
  }

  #set(name: string, value: unknown): void {
    this.#state.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
}

function flags({ fg, bg }: Pick<AttributeInternals, 'fg' | 'bg'>): string {
  return `${(fg >>> 0).toString(16)},${(bg >>> 0).toString(16)}`;
}

/** Returns a few characters of a character set, which identify it: character sets are shared objects. */
function nameOf(charset: Charset | null): string {
  return charset ? Object.entries(charset).flat().join('').slice(0, 12) : '';
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
