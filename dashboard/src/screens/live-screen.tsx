import { useEffect, useRef } from 'react';
import { useTheme } from '../parts/theme.js';
import { type Crop, ScreenPainter } from './paint.js';
import { PALETTES } from './palette.js';
import { screenHub } from './screen-hub.js';
import type { ScreenModel } from './screen-model.js';

interface LiveScreenProps {
  terminalId: string;
  /** Most frames a second. */
  fps?: number;
  /** 0 to 3; the screen with the highest comes first. */
  priority?: number;
  /** Shows only so many rows: the last ones with text. */
  lastRows?: number;
  className?: string;
}

/** Returns the last rows with text, up to the cursor at least; the cursor may be below all text. */
function cropOf(model: ScreenModel, lastRows: number | undefined): Crop {
  if (lastRows === undefined || model.rows <= lastRows) return { top: 0, rows: Math.max(1, model.rows) };
  const lastText = model.lines.findLastIndex((runs) => runs.length > 0);
  const last = Math.max(lastText, model.cursor[2] ? model.cursor[1] : 0, lastRows - 1);
  return { top: last + 1 - lastRows, rows: lastRows };
}

/** A terminal's screen, painted as it changes. It can be read only; what it shows is not in the page's text. */
export function LiveScreen({ terminalId, fps = 2, priority = 0, lastRows, className }: LiveScreenProps) {
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
      const crop = cropOf(model, lastRows);
      const changed = model.takeChanged(key);
      const isWhole = !painter || crop.top !== shownTop;
      painter ??= new ScreenPainter({ context, width: canvas.width, height: canvas.height }, PALETTES[theme]);
      shownTop = crop.top;
      painter.paint(model, isWhole ? undefined : changed, crop);
    };
    const drawSoon = () => {
      frame ||= requestAnimationFrame(draw);
    };
    const resize = new ResizeObserver(() => {
      const ratio = window.devicePixelRatio;
      canvas.width = Math.round(canvas.clientWidth * ratio);
      canvas.height = Math.round(canvas.clientHeight * ratio);
      // Anew in the new size, and before the browser shows the canvas that was emptied by that.
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
  }, [terminalId, fps, priority, lastRows, theme]);

  return <canvas ref={canvasRef} className={className ?? 'screen'} aria-hidden="true" />;
}
