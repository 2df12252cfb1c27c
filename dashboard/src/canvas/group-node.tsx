import { type NodeProps, NodeResizer } from '@xyflow/react';
import { memo } from 'react';
import { GROUP_COLORS, type GroupNode as GroupNodeType, MIN_NODE } from './graph.js';

/** A named area. Terminals that are moved into it belong to it. */
export const GroupNode = memo(function GroupNode({ data, selected }: NodeProps<GroupNodeType>) {
  const color = GROUP_COLORS.find((each) => each === data.color) ?? 'grey';
  return (
    <div className={`group-area group-${color}`}>
      <NodeResizer isVisible={selected} minWidth={MIN_NODE.width} minHeight={MIN_NODE.height} />
      <span className="group-label">{data.label}</span>
    </div>
  );
});
