import { useEffect, useRef } from 'react';
import { useTheme } from '../parts/theme.js';
import { type Canvas, type Crop, rowsThatFit, ScreenPainter } from './paint.js';
import { PALETTES } from './palette.js';
import { screenHub } from './screen-hub.js';
import type { ScreenModel } from './screen-model.js';

interface LiveScreenProps {
  terminalId: string;
  /** Most frames a second. */
  fps?: number;
  /** 0 to 3; screens with a higher one are sent first. */
  priority?: number;
  /** Most rows that are shown: the last rows with text. */
  lastRows?: number;
  /** Most columns that are shown, and with them the last rows that fit: leaving out the rest keeps text legible. */
  maxCols?: number;
  className?: string;
}

/** Returns the part that is shown: the last rows with text, and the cursor, which may be below all text. */
function cropOf(
  model: ScreenModel,
  canvas: Canvas,
  { lastRows, maxCols }: Pick<LiveScreenProps, 'lastRows' | 'maxCols'>,
): Crop {
  const cols = Math.max(1, Math.min(model.cols, maxCols ?? model.cols));
  const rows = lastRows ?? (maxCols === undefined ? model.rows : rowsThatFit(canvas, cols));
  if (model.rows <= rows) return { top: 0, rows: Math.max(1, rows), cols };
  const lastText = model.lines.findLastIndex((runs) => runs.length > 0);
  const last = Math.max(lastText, model.cursor[2] ? model.cursor[1] : 0, rows - 1);
  return { top: last + 1 - rows, rows, cols };
}

/** A terminal's screen, painted as it changes. It takes no input, and its text is not in the page's text. */
export function LiveScreen({
  terminalId,
  fps = 2,
  priority = 0,
  lastRows,
  maxCols,
  className,
}: LiveScreenProps) {
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();

  useEffect(() => {
    const canvas = canvasRef.current;
    const context = canvas?.getContext('2d', { alpha: false });
    if (!canvas || !context) return;
    const key = {};
    const model = screenHub.model(terminalId);
    let frame = 0;
    let shownTop = -1;
    let painter: ScreenPainter | undefined;
    const draw = () => {
      frame = 0;
      const place = { context, width: canvas.width, height: canvas.height };
      const crop = cropOf(model, place, { lastRows, maxCols });
      const changed = model.takeChanged(key);
      const isWhole = !painter || crop.top !== shownTop;
      painter ??= new ScreenPainter(place, PALETTES[theme]);
      shownTop = crop.top;
      painter.paint(model, isWhole ? undefined : changed, crop);
    };
    const drawSoon = () => {
      frame ||= requestAnimationFrame(draw);
    };
    const resize = new ResizeObserver((sizes) => {
      const ratio = window.devicePixelRatio;
      // Reading the size from the canvas would force a layout of the page for each screen.
      const { width, height } = sizes.at(-1)!.contentRect;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      // Drawn at once in the new size, before the browser shows the canvas, which setting its size has emptied.
      painter = undefined;
      draw();
    });
    resize.observe(canvas);
    const leave = screenHub.watch(terminalId, { fps, priority, onChange: drawSoon });
    return () => {
      leave();
      resize.disconnect();
      cancelAnimationFrame(frame);
      model.forget(key);
    };
  }, [terminalId, fps, priority, lastRows, maxCols, theme]);

  return <canvas ref={canvasRef} className={className ?? 'screen'} aria-hidden="true" />;
}
