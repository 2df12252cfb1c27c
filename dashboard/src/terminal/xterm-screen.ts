import { type ISearchOptions, SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { type ILinkHandler, type ITheme, Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { TerminalSize } from '../../../src/client/browser.js';
import { SCREEN_FONT } from '../screens/paint.js';
import { PALETTES, type ThemeName } from '../screens/palette.js';
import { rowOfCommand, type ShownLine } from './command-row.js';
import { isMisleading, linkTarget } from './links.js';
import { swallowQueries } from './queries.js';
import { onUserInput } from './user-input.js';

/** Most lines above the screen that the page keeps. */
export const SCROLLBACK_LINES = 5_000;
/** Least columns of an xterm, because a wide character must fit. */
const MIN_COLS = 2;
const OSC_CLIPBOARD = 52;
/** Most matches of a search that are marked and counted. */
const MAX_MATCHES = 1_000;

/** A link that a person has opened by ctrl+click. */
export interface OpenedLink {
  target: URL;
  /** Whether its text names another host. */
  isMisleading: boolean;
}

export interface XtermScreenOptions {
  host: HTMLElement;
  size: TerminalSize;
  theme: ThemeName;
  onInput: (data: string) => void;
  /** Called with reports of the focus and the mouse. */
  onReport: (data: string) => void;
  onTitle: (title: string) => void;
  /** Called with the data of OSC 52. */
  onClipboard: (data: string) => void;
  /** Called with the target of the link under the pointer, and with undefined when there is none. */
  onHover: (uri: string | undefined) => void;
  onLink: (link: OpenedLink) => void;
  onMatches: (matches: Matches) => void;
}

export interface Matches {
  /** Index of the current match among them, from 0; -1 if there are too many to know it. */
  at: number;
  count: number;
}

/** Returns the colours of a search's matches, on which text in all colours stays legible. */
function marksOf(theme: ThemeName): ISearchOptions {
  const [matchBackground, activeMatchBackground] =
    theme === 'light' ? ['#fff0b3', '#ffc24d'] : ['#4d4000', '#8f4700'];
  return {
    decorations: {
      ...{ matchBackground, activeMatchBackground },
      matchOverviewRuler: '#d7a500',
      activeMatchColorOverviewRuler: '#ff8c1a',
    },
  };
}

/** A terminal that is drawn by xterm. It answers no queries, and reports only a person's input. */
export class XtermScreen {
  readonly term: Terminal;
  #theme: ThemeName;
  readonly #search = new SearchAddon({ highlightLimit: MAX_MATCHES });

  constructor(options: XtermScreenOptions) {
    const { host, size, theme, onHover } = options;
    this.#theme = theme;
    this.term = new Terminal({
      cols: Math.max(size.cols, MIN_COLS),
      rows: size.rows,
      scrollback: SCROLLBACK_LINES,
      fontFamily: SCREEN_FONT,
      theme: themeOf(theme),
      minimumContrastRatio: contrastOf(theme),
      allowProposedApi: true,
      cursorInactiveStyle: 'outline',
      macOptionClickForcesSelection: true,
      rightClickSelectsWord: false,
      logLevel: 'off',
      linkHandler: {
        allowNonHttpProtocols: true,
        activate: (event, uri, range) => this.#open(options, event, uri, range),
        hover: (_event, uri) => onHover(uri),
        leave: () => onHover(undefined),
      },
    });
    const { term } = this;
    term.loadAddon(new Unicode11Addon());
    term.unicode.activeVersion = '11';
    term.loadAddon(this.#search);
    swallowQueries(term.parser);
    term.parser.registerOscHandler(OSC_CLIPBOARD, (data) => {
      options.onClipboard(data);
      return true;
    });
    onUserInput(term, options);
    term.onTitleChange(options.onTitle);
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) =>
      options.onMatches({ at: resultIndex, count: resultCount }),
    );
    term.open(host);
    // The page reports the focus itself: xterm also reports it when a program turns the mode on, and when a screen is drawn anew.
    for (const [type, report] of [
      ['focus', '\x1b[I'],
      ['blur', '\x1b[O'],
    ] as const)
      term.textarea?.addEventListener(type, () => term.modes.sendFocusMode && options.onReport(report));
    // Touching the screen of a phone must not cover half of it with a keyboard: a line for typing is below.
    if (matchMedia('(pointer: coarse)').matches) term.textarea?.setAttribute('inputmode', 'none');
  }

  /** Resolves once the output is parsed. */
  write(data: string): Promise<void> {
    return new Promise((resolve) => this.term.write(data, resolve));
  }

  /**
   * Shows a whole screen, below lines that were printed before it. With such lines, a person who has scrolled up still
   * sees the same rows.
   */
  async reset(screen: string, size: TerminalSize, above: readonly string[] = []): Promise<void> {
    const { baseY, viewportY } = this.term.buffer.active;
    this.term.reset();
    this.resize(size);
    let text = screen.replace(/^\x1bc/, '');
    // The rows above scroll away until the first row of the screen is empty.
    if (above.length > 0) text = `${above.join('\r\n')}\r\n${'\n'.repeat(size.rows - 1)}\x1b[H${text}`;
    await this.write(text);
    if (above.length > 0) this.term.scrollLines(viewportY - baseY);
  }

  resize({ cols, rows }: TerminalSize): void {
    this.term.resize(Math.max(cols, MIN_COLS), rows);
  }

  set fontPx(px: number) {
    if (this.term.options.fontSize !== px) this.term.options.fontSize = px;
  }

  set theme(theme: ThemeName) {
    this.#theme = theme;
    this.term.options.theme = themeOf(theme);
    this.term.options.minimumContrastRatio = contrastOf(theme);
  }

  /** Finds the next match of a text in the lines that the page has. */
  find(text: string, direction: 'next' | 'previous'): void {
    if (text === '') this.#search.clearDecorations();
    else if (direction === 'next') this.#search.findNext(text, marksOf(this.#theme));
    else this.#search.findPrevious(text, marksOf(this.#theme));
  }

  /** Returns the rows of the screen as text, without those below the last text. */
  text(): string {
    const { active } = this.term.buffer;
    const rows = Array.from(
      { length: this.term.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    );
    return rows.join('\n').trimEnd();
  }

  /**
   * Scrolls to the place where a command was typed; `newer` others of the same text come after it. Returns whether the
   * page still has it.
   */
  scrollToCommand(commandLine: string, newer: number): boolean {
    const row = rowOfCommand(this.#lines(), commandLine, newer);
    if (row === undefined) return false;
    this.term.scrollToLine(row);
    this.term.selectLines(row, row);
    return true;
  }

  #lines(): ShownLine[] {
    const { normal } = this.term.buffer;
    const lines: ShownLine[] = [];
    for (let row = 0; row < normal.length; row++) {
      const line = normal.getLine(row);
      const text = line?.translateToString() ?? '';
      if (line?.isWrapped && lines.length > 0) lines.at(-1)!.text += text;
      else lines.push({ row, text });
    }
    return lines;
  }

  endFind(): void {
    this.#search.clearDecorations();
    this.term.clearSelection();
  }

  dispose(): void {
    this.term.dispose();
  }

  #open(
    { onLink }: XtermScreenOptions,
    event: MouseEvent,
    uri: string,
    { start, end }: Parameters<ILinkHandler['activate']>[2],
  ): void {
    if (!event.ctrlKey && !event.metaKey) return;
    const target = linkTarget(uri);
    if (!target) return;
    const row = this.term.buffer.active.getLine(start.y - 1);
    const text = row?.translateToString(true, start.x - 1, end.x) ?? '';
    onLink({ target, isMisleading: isMisleading(text, target) });
  }
}

function contrastOf(theme: ThemeName): number {
  return theme === 'contrast' ? 7 : 1;
}

const ANSI_NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

function themeOf(name: ThemeName): ITheme {
  const { foreground, background, cursor, ansi } = PALETTES[name];
  const theme: ITheme = { foreground, background, cursor, cursorAccent: background };
  theme.selectionBackground = name === 'light' ? '#9ec5ff' : '#33517d';
  for (const [at, color] of ANSI_NAMES.entries()) {
    theme[color] = ansi[at]!;
    theme[`bright${color[0]!.toUpperCase()}${color.slice(1)}` as 'brightRed'] = ansi[at + 8]!;
  }
  return theme;
}
