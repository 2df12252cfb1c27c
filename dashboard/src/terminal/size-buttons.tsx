import type { Zoom } from './use-fit.js';

export function ZoomButton({ zoom, onZoom }: { zoom: Zoom; onZoom: (zoom: Zoom) => void }) {
  return (
    <button
      type="button"
      aria-pressed={zoom === 'read'}
      title="Text at 13 px; the pane scrolls if the terminal is larger"
      onClick={() => onZoom(zoom === 'fit' ? 'read' : 'fit')}
    >
      13 px
    </button>
  );
}

export function TakeSizeButton({ isLive, onTakeSize }: { isLive: boolean; onTakeSize: () => void }) {
  return (
    <button
      type="button"
      disabled={!isLive}
      title="Resize the terminal to what fits here"
      onClick={onTakeSize}
    >
      Take this window's size
    </button>
  );
}
