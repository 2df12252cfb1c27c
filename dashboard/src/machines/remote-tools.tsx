import { TakeSizeButton, ZoomButton } from '../terminal/size-buttons.js';
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
      <ZoomButton zoom={zoom} onZoom={onZoom} />
      {!isWatching && <TakeSizeButton isLive={isLive} onTakeSize={onTakeSize} />}
      <button type="button" title="ctrl+shift+F" onClick={onFind}>
        Find
      </button>
      <button type="button" onClick={onRead}>
        Read screen
      </button>
    </div>
  );
}
