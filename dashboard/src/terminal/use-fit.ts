import { type RefObject, useCallback, useEffect, useState } from 'react';
import type { TerminalSize } from '../../../src/client/browser.js';
import { cellAt } from './cell-size.js';
import {
  type Box,
  fontThatFits,
  fontThatFitsWidth,
  READING_FONT_PX,
  SCROLLBAR_PX,
  sizeThatFits,
} from './fit.js';
import type { Opened } from './open-session.js';

/** Size of the text: such that the terminal fits, or for reading, with a pane that scrolls. */
export type Zoom = 'fit' | 'read';

/** Scales the font of a terminal to its pane. Returns a function that returns the size of a terminal that would fill the pane. */
export function useFit(
  paneRef: RefObject<HTMLElement | null>,
  hostRef: RefObject<HTMLElement | null>,
  opened: Opened | undefined,
  size: TerminalSize | undefined,
  zoom: Zoom,
): () => TerminalSize {
  const [pane, setPane] = useState<Box>({ width: 0, height: 0 });

  useEffect(() => {
    const element = paneRef.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setPane({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [paneRef]);

  useEffect(() => {
    const host = hostRef.current;
    if (!opened || !size || !host || pane.width === 0) return;
    const isTouched = matchMedia('(pointer: coarse)').matches;
    const fontFor = isTouched ? fontThatFitsWidth : fontThatFits;
    const font = zoom === 'read' ? READING_FONT_PX : fontFor(pane, size, cellAt);
    const cell = cellAt(font);
    opened.screen.fontPx = font;
    host.style.width = `${Math.ceil(size.cols * cell.width) + SCROLLBAR_PX}px`;
    host.style.height = `${Math.ceil(size.rows * cell.height)}px`;
  }, [hostRef, opened, size, pane, zoom]);

  return useCallback(() => sizeThatFits(pane, cellAt), [pane]);
}
