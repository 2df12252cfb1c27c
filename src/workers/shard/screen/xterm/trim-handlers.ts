import type { HandlerLists, XtermInternals } from './internals.js';

/**
 * Gives back the spare room of the parser's lists of handlers. V8 makes room for 17 elements when a list gets its first, and
 * nearly 400 lists have one handler: 48 KB of the 170 that an xterm of 100x30 takes. Call once all handlers are registered,
 * since what `register...Handler` returns removes nothing from the lists afterwards.
 */
export function trimHandlers({ _inputHandler: { _parser: parser } }: XtermInternals): void {
  const tables: HandlerLists[] = [
    parser._csiHandlers,
    parser._escHandlers,
    parser._oscParser._handlers,
    parser._dcsParser._handlers,
  ];
  for (const lists of tables)
    for (const [id, list] of Object.entries(lists)) lists[Number(id)] = list.slice();
}
