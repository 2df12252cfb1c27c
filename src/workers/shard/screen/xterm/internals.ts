import type { Terminal } from '@xterm/headless';

/**
 * The private parts of @xterm/headless 6.0.0 that this project uses. Nothing else private may be touched. A test
 * compares these shapes with the pinned version.
 */
export interface XtermInternals {
  readonly cols: number;
  readonly rows: number;
  readonly buffers: {
    readonly normal: BufferInternals;
    readonly alt: BufferInternals;
    active: BufferInternals;
  };
  readonly coreService: {
    isCursorHidden: boolean;
    readonly modes: { insertMode: boolean };
    readonly decPrivateModes: PrivateModes;
  };
  readonly coreMouseService: { activeProtocol: string; activeEncoding: string };
  readonly optionsService: OptionsInternals;
  readonly unicodeService: { wcwidth(codePoint: number): 0 | 1 | 2 };
  readonly _charsetService: CharsetInternals;
  readonly _oscLinkService: {
    getLinkData(id: number): LinkData | undefined;
    /** Keys are id, two semicolons and URI. */
    readonly _entriesWithId: Map<string, LinkEntry>;
    readonly _dataByLinkId: Map<number, LinkEntry>;
    /** Registers a link that is opened at the cursor, and returns the link's id. */
    registerLink: (data: LinkData) => number;
    /** Keeps the link known as long as the row with this index in `lines` exists. */
    addLineToLink: (link: number, line: number) => void;
  };
  readonly _inputHandler: {
    readonly _curAttrData: AttributeInternals;
    readonly _windowTitle: string;
    readonly _iconName: string;
    readonly _parser: ParserInternals;
    /** Decoded output that xterm parses, 16 KB at first. */
    _parseBuffer: Uint32Array;
    readonly _utf8Decoder: {
      /** Returns the number of code points; leaves out invalid UTF-8. */
      decode(bytes: Uint8Array, target: Uint32Array): number;
    };
    /** Prints the code points from `start` to `end` (exclusive). */
    print: (data: Uint32Array, start: number, end: number) => void;
    /** SU, SD, IL and DL. */
    scrollUp(params: RawParams): boolean;
    scrollDown(params: RawParams): boolean;
    insertLines(params: RawParams): boolean;
    deleteLines(params: RawParams): boolean;
    /** `ESC # 8`: fills the screen with E. */
    screenAlignmentPattern: () => boolean;
    /** OSC 8. */
    setHyperlink: (data: string) => boolean;
  };
}

interface PrivateModes {
  applicationCursorKeys: boolean;
  applicationKeypad: boolean;
  bracketedPasteMode: boolean;
  cursorBlink: boolean | undefined;
  cursorStyle: 'block' | 'underline' | 'bar' | undefined;
  origin: boolean;
  reverseWraparound: boolean;
  sendFocus: boolean;
  synchronizedOutput: boolean;
  wraparound: boolean;
}

/** A character set maps ASCII characters to others; undefined is ASCII itself. */
export type Charset = Readonly<Record<string, string | undefined>> | undefined;

interface CharsetInternals {
  /** The set in force; after DECRC it need not be the set that `glevel` selects. */
  charset: Charset | null;
  /** Number of the set that is shifted in, 0 to 3. */
  glevel: number;
  readonly _charsets: readonly (Charset | null)[];
}

export interface LinkData {
  id?: string;
  uri: string;
}

export interface LinkEntry {
  readonly id: number;
  readonly data: LinkData;
}

export interface ExtendedInternals {
  /** Underline style in bits 26 to 28, underline colour below. */
  readonly _ext: number;
  /** 0 is no link. */
  readonly _urlId: number;
}

export interface AttributeInternals {
  readonly fg: number;
  readonly bg: number;
  readonly extended: ExtendedInternals;
}

/** One row: three words a cell (content, fg, bg), and separately texts of combined cells and extended attributes. */
export interface LineInternals {
  readonly length: number;
  readonly isWrapped: boolean;
  readonly _data: Uint32Array;
  readonly _combined: Record<number, string>;
  readonly _extendedAttrs: Readonly<Record<number, ExtendedInternals | undefined>>;
  /** `fill` is for the cells that a longer row gets. */
  resize(cols: number, fill: undefined): boolean;
}

/** The rows of a buffer, in a ring. */
export interface RowList {
  readonly length: number;
  maxLength: number;
  get: (index: number) => LineInternals | undefined;
  set(index: number, line: LineInternals): void;
  trimStart(count: number): void;
  push(line: LineInternals): void;
  /** Makes the first row of a full list its last row, and returns that row. */
  recycle: () => LineInternals | undefined;
  /** Deletes rows and inserts others. */
  splice: (start: number, deleteCount: number, ...lines: LineInternals[]) => void;
  readonly _array: Array<LineInternals | undefined>;
  /** May be larger than the ring. */
  readonly _startIndex: number;
  /** Returns the place in the ring. */
  _getCyclicIndex(index: number): number;
  /** Reports that rows were removed from the beginning. */
  onTrim(listener: (amount: number) => void): unknown;
  onInsert(listener: (event: RowsEvent) => void): unknown;
  onDelete(listener: (event: RowsEvent) => void): unknown;
}

export interface BufferInternals {
  readonly lines: RowList;
  /** Called for each row that is erased whole. */
  clearMarkers: (line: number) => void;
  clearAllMarkers: () => void;
  getBlankLine(): LineInternals;
  /** Index in `lines` of the screen's first row. */
  ybase: number;
  ydisp: number;
  y: number;
  /** Column; at `cols` and above, the next character wraps. */
  readonly x: number;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly tabs: Record<number, boolean | undefined>;
  /** Index in `lines`. */
  savedY: number;
  savedX: number;
  readonly savedCurAttrData: AttributeInternals;
  readonly savedCharset: Charset | null;
}

interface RowsEvent {
  readonly index: number;
  readonly amount: number;
}

interface ParserInternals {
  /** 0 is the ground state. */
  readonly currentState: number;
  /** Width of the character just printed in bits 1 and 2; 0 once a control follows it. */
  precedingJoinState: number;
  /** Parses code points: all of them, unless a handler returns a promise. */
  parse(data: Uint32Array, length: number): unknown;
  /** Indexed by state and code point: the action is in the upper four bits, the next state in the lower four. */
  _transitions: { readonly table: Uint8Array };
  readonly _executeHandlers: Record<number, (() => boolean) | (() => void)>;
  readonly _csiHandlers: HandlerLists;
  readonly _escHandlers: HandlerLists;
  readonly _oscParser: { readonly _handlers: HandlerLists };
  readonly _dcsParser: { readonly _handlers: HandlerLists };
  registerCsiHandler(id: FunctionId, handler: (params: RawParams) => boolean): unknown;
  registerEscHandler(id: FunctionId, handler: () => boolean): unknown;
  /** The parser calls `handler` when a transition is an error, and returns at once if the result has `abort`. */
  setErrorHandler(handler: (state: ErrorState) => ErrorState): void;
}

export interface OptionsInternals {
  readonly rawOptions: Record<string, unknown> & { cursorBlink: boolean; convertEol: boolean };
  options: Record<string, unknown>;
  /** Returns the value to set. Throws if the option cannot have this value. */
  _sanitizeAndValidateOption(key: string, value: unknown): unknown;
  readonly _onOptionChange: { fire(key: string): void };
}

/** Handlers of each sequence, by the number that xterm gives the sequence. The last handler of a list is called first. */
export type HandlerLists = Record<number, unknown[]>;

interface ErrorState {
  /** Index of the code point in the parsed data. */
  readonly position: number;
  readonly abort: boolean;
}

export interface FunctionId {
  prefix?: string;
  intermediates?: string;
  final: string;
}

/** Parameters as the built-in handlers get them, after our handlers have had the chance to change them. */
export interface RawParams {
  readonly length: number;
  readonly params: Int32Array;
}

/** States of the parser, as numbered in its source. */
export const ParserState = {
  ground: 0,
  escape: 1,
  escapeIntermediate: 2,
  csiEntry: 3,
  csiParam: 4,
  csiIntermediate: 5,
  csiIgnore: 6,
  sosPmApcString: 7,
  oscString: 8,
  dcsEntry: 9,
  dcsParam: 10,
  dcsIgnore: 11,
  dcsIntermediate: 12,
  dcsPassthrough: 13,
} as const;

/** Actions of the parser, as numbered in its source. */
export const ParserAction = { error: 1 } as const;

/** Bits of a cell's first word. */
export const Content = { codePoint: 0x1fffff, combined: 0x200000, any: 0x3fffff, widthShift: 22 } as const;

/** The first word of a cell that was never written or was erased. */
export const NULL_CONTENT = 1 << Content.widthShift;

export function internals(term: Terminal): XtermInternals {
  return (term as unknown as { _core: XtermInternals })._core;
}
