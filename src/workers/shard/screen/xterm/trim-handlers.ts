import type { HandlerLists, XtermInternals } from './internals.js';

/**
 * Gives back the spare room of the parser's lists of handlers. V8 makes room for 17 elements when a list gets its first
 * element, and some 180 lists have one handler: 23 KB for each terminal. A disposable that `register...Handler`
 * returned before removes nothing afterwards, since it holds the old list.
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
