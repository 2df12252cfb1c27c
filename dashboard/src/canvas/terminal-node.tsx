import { Handle, type NodeProps, NodeResizer, Position, useStore } from '@xyflow/react';
import { memo } from 'react';
import { useFleet } from '../fleet/fleet-store.js';
import { statusOf } from '../fleet/status.js';
import { StatusMark } from '../parts/status-mark.js';
import { LiveScreen } from '../screens/live-screen.js';
import { MIN_NODE, type TerminalNode as TerminalNodeType } from './graph.js';

/** Zooms from which a node shows its title, and its screen. */
const TITLE_ZOOM = 0.25;
const SCREEN_ZOOM = 0.5;

/** A terminal on the canvas: zoomed out its status, then its name, then its screen. */
export const TerminalNode = memo(function TerminalNode({ id, data, selected }: NodeProps<TerminalNodeType>) {
  const terminal = useFleet((state) => state.terminals.get(id));
  const detail = useStore(({ transform }) =>
    transform[2] < TITLE_ZOOM ? 0 : transform[2] < SCREEN_ZOOM ? 1 : 2,
  );
  const status = terminal ? statusOf(terminal) : 'exited';
  return (
    <div className={`node tile-${status} node-detail-${detail}`}>
      <NodeResizer isVisible={selected} minWidth={MIN_NODE.width} minHeight={MIN_NODE.height} />
      <Handle type="target" position={Position.Left} />
      <span className="tile-head">
        <StatusMark status={status} word={false} />
        {detail > 0 && <span className="tile-name">{data.title}</span>}
      </span>
      {detail === 2 && <LiveScreen terminalId={id} />}
      <Handle type="source" position={Position.Right} />
    </div>
  );
});
