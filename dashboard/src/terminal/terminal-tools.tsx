import { useState } from 'react';
import { late } from '../parts/late.js';
import { TakeSizeButton, ZoomButton } from './size-buttons.js';
import type { Zoom } from './use-fit.js';
import { useRecording } from './use-recording.js';

const PromptQueue = late(() => import('../prompts/prompt-queue.js'));

interface TerminalToolsProps {
  terminalId: string;
  isLive: boolean;
  isEnded: boolean;
  hasRail: boolean;
  zoom: Zoom;
  onZoom: (zoom: Zoom) => void;
  onFind: () => void;
  onRead: (what: 'screen' | 'earlier') => void;
  onRail: () => void;
  onTakeSize: () => void;
  onClose: () => void;
}

/** Actions on the terminal. */
export function TerminalTools({
  terminalId,
  isLive,
  isEnded,
  hasRail,
  zoom,
  onZoom,
  onFind,
  onRead,
  onRail,
  onTakeSize,
  onClose,
}: TerminalToolsProps) {
  const { isRecording, toggle } = useRecording(terminalId);
  const [isQueueing, setQueueing] = useState(false);
  return (
    <>
      <div className="terminal-tools" role="toolbar" aria-label="Terminal">
        <ZoomButton zoom={zoom} onZoom={onZoom} />
        <TakeSizeButton isLive={isLive} onTakeSize={onTakeSize} />
        <button type="button" title="ctrl+shift+F" onClick={onFind}>
          Find
        </button>
        <button type="button" onClick={() => onRead('earlier')}>
          Earlier output
        </button>
        <button type="button" onClick={() => onRead('screen')}>
          Read screen
        </button>
        <button
          type="button"
          aria-pressed={isRecording}
          disabled={!isLive && !isRecording}
          onClick={() => void toggle()}
        >
          {isRecording ? '■ Stop recording' : 'Record'}
        </button>
        <button
          type="button"
          disabled={isEnded}
          title="Typed once the terminal is ready"
          onClick={() => setQueueing(true)}
        >
          Queue a prompt…
        </button>
        <button type="button" className="rail-toggle" aria-pressed={hasRail} onClick={onRail}>
          Commands
        </button>
        <button type="button" onClick={onClose}>
          {isEnded ? 'Remove' : 'Close'}
        </button>
      </div>
      {isQueueing && <PromptQueue terminalId={terminalId} starts="form" onClose={() => setQueueing(false)} />}
    </>
  );
}
