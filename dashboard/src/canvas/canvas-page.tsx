import {
  applyEdgeChanges,
  applyNodeChanges,
  Background,
  type Connection,
  Controls,
  type EdgeChange,
  MiniMap,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useCallback, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import type { CanvasGraph } from '../../../src/client/browser.js';
import { useTheme } from '../parts/theme.js';
import { service, wordsOf } from '../service.js';
import '../style/wall.css';
import '../style/canvas.css';
import { counted } from '../parts/counted.js';
import { type CanvasNode, type ConnectionEdge, edgesOf, groupAt, nodesOf } from './graph.js';
import { GroupNode } from './group-node.js';
import { Inspector } from './inspector.js';
import { TerminalNode } from './terminal-node.js';
import { changeCanvas, useGraph } from './use-graph.js';

const NODE_TYPES = { terminal: TerminalNode, 'group-area': GroupNode };
const NEW_GROUP = { width: 640, height: 400 };
const ARIA = {
  'node.a11yDescription.default': 'Enter selects, arrows move; what else can be done is listed at the right.',
  'edge.a11yDescription.default': 'Enter selects; what can be done is listed at the right.',
} as const;

/** Sends the present place of a node to the service. */
function savePlace(graph: CanvasGraph, node: CanvasNode): void {
  const { x, y } = node.position;
  const width = node.measured?.width ?? node.width ?? 0;
  const height = node.measured?.height ?? node.height ?? 0;
  const place = { x, y, width, height };
  const work =
    node.type === 'terminal'
      ? service.canvas.place(node.id, { ...place, groupId: groupAt(graph.groups, place) })
      : service.canvas.changeGroup(node.id, place);
  void changeCanvas('The place was not kept', work);
}

function Graph({ graph }: { graph: CanvasGraph }) {
  const [nodes, setNodes] = useState<CanvasNode[]>([]);
  const [edges, setEdges] = useState<ConnectionEdge[]>([]);
  const theme = useTheme();
  const [, go] = useLocation();
  const flow = useReactFlow();

  useEffect(() => {
    setNodes((before) => nodesOf(graph, before));
    setEdges((before) => edgesOf(graph, before));
  }, [graph]);

  const onNodesChange = useCallback(
    (changes: NodeChange<CanvasNode>[]) => {
      setNodes((before) => {
        const after = applyNodeChanges(changes, before);
        for (const change of changes) {
          // Saved once at the end of a move, by pointer or by key: intermediate places need no saving.
          const isMoved = change.type === 'position' && change.dragging === false;
          const isResized = change.type === 'dimensions' && change.resizing === false;
          const node = (isMoved || isResized) && after.find(({ id }) => id === change.id);
          if (node) queueMicrotask(() => savePlace(graph, node));
        }
        return after;
      });
    },
    [graph],
  );
  const onEdgesChange = (changes: EdgeChange<ConnectionEdge>[]) =>
    setEdges((before) => applyEdgeChanges(changes, before));
  const onConnect = ({ source, target }: Connection) => {
    const connection = { from: source, to: target, origin: 'user' as const };
    void changeCanvas('The terminals were not connected', service.canvas.connect(connection));
  };
  const addGroup = () => {
    const middle = flow.screenToFlowPosition({ x: window.innerWidth / 2, y: window.innerHeight / 2 });
    const place = { x: middle.x - NEW_GROUP.width / 2, y: middle.y - NEW_GROUP.height / 2, ...NEW_GROUP };
    const group = { label: 'group', color: 'blue', ...place };
    void changeCanvas('The group was not made', service.canvas.addGroup(group));
  };
  const selected = [...nodes, ...edges].find((each) => each.selected)?.id;

  return (
    <main className="canvas">
      <header className="bar">
        <h1>Canvas</h1>
        <button type="button" onClick={addGroup}>
          New group
        </button>
        <span className="count">{counted(graph.nodes.length, 'terminal')}</span>
      </header>
      <div className="canvas-body">
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          onNodesChange={onNodesChange}
          onEdgesChange={onEdgesChange}
          onConnect={onConnect}
          onNodeDoubleClick={(_, node) => node.type === 'terminal' && go(`/t/${node.id}`)}
          ariaLabelConfig={ARIA}
          colorMode={theme === 'light' ? 'light' : 'dark'}
          deleteKeyCode={null}
          minZoom={0.05}
          maxZoom={2}
          onlyRenderVisibleElements
          fitView
        >
          <Background />
          <Controls showInteractive={false} />
          <MiniMap pannable zoomable ariaLabel="Overview" />
        </ReactFlow>
        <Inspector graph={graph} selected={selected} />
      </div>
    </main>
  );
}

/** The terminals as a graph, with their places and connections. */
export default function CanvasPage() {
  const { data: graph, error } = useGraph();
  if (!graph) {
    return <main className="empty">{error ? `The canvas could not be read: ${wordsOf(error)}` : '…'}</main>;
  }
  return (
    <ReactFlowProvider>
      <Graph graph={graph} />
    </ReactFlowProvider>
  );
}
