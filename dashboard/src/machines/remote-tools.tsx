import type { Zoom } from '../terminal/use-fit.js';

interface RemoteToolsProps {
  zoom: Zoom;
  isLive: boolean;
  isWatching: boolean;
  onZoom: (zoom: Zoom) => void;
  onFind: () => void;
  onRead: () => void;
  onTakeSize: () => void;
}

/** Actions on a terminal of another machine. */
export function RemoteTools({
  zoom,
  isLive,
  isWatching,
  onZoom,
  onFind,
  onRead,
  onTakeSize,
}: RemoteToolsProps) {
  return (
    <div className="terminal-tools" role="toolbar" aria-label="Terminal">
      <button
        type="button"
        aria-pressed={zoom === 'read'}
        title="Text at 13 px; the pane scrolls if the terminal is larger"
        onClick={() => onZoom(zoom === 'fit' ? 'read' : 'fit')}
      >
        13 px
      </button>
      {!isWatching && (
        <button
          type="button"
          disabled={!isLive}
          title="Resize the terminal to what fits here"
          onClick={onTakeSize}
        >
          Take this window's size
        </button>
      )}
      <button type="button" title="ctrl+shift+F" onClick={onFind}>
        Find
      </button>
      <button type="button" onClick={onRead}>
        Read screen
      </button>
    </div>
  );
}
