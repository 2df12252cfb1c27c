import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import type { CanvasGraph } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';
import { service } from '../service.js';
import { GROUP_COLORS } from './graph.js';
import { changeCanvas } from './use-graph.js';

interface InspectorProps {
  graph: CanvasGraph;
  /** Id of the terminal, group or connection that is selected. */
  selected: string | undefined;
}

/** Actions on the selected node, group or connection, also without a pointer. */
export function Inspector({ graph, selected }: InspectorProps) {
  const node = graph.nodes.find(({ terminalId }) => terminalId === selected);
  const group = graph.groups.find(({ id }) => id === selected);
  const connection = graph.connections.find(({ id }) => id === selected);
  if (node) return <NodePart key={selected} graph={graph} node={node} />;
  if (group) return <GroupPart key={selected} group={group} />;
  if (connection) return <ConnectionPart key={selected} graph={graph} connection={connection} />;
  return null;
}

function NodePart({ graph, node }: { graph: CanvasGraph; node: CanvasGraph['nodes'][number] }) {
  const id = node.terminalId;
  const [to, setTo] = useState('');
  const others = graph.nodes.filter(({ terminalId }) => terminalId !== id);
  const connect = (event: FormEvent) => {
    event.preventDefault();
    void changeCanvas(
      'The terminals were not connected',
      service.canvas.connect({ from: id, to, origin: 'user' }),
    );
  };
  return (
    <div className="inspector">
      <h2>{plainLabel(node.title)}</h2>
      <Link href={`/t/${id}`}>Open</Link>
      <form onSubmit={connect}>
        <label>
          connect to{' '}
          <select required value={to} onChange={({ target }) => setTo(target.value)}>
            <option value="">choose…</option>
            {others.map(({ terminalId, title }) => (
              <option key={terminalId} value={terminalId}>
                {plainLabel(title)}
              </option>
            ))}
          </select>
        </label>{' '}
        <button type="submit" disabled={to === ''}>
          Connect
        </button>
      </form>
      <label>
        group{' '}
        <select
          value={node.groupId ?? ''}
          onChange={({ target }) =>
            changeCanvas(
              'The group was not changed',
              service.canvas.place(id, { groupId: target.value || null }),
            )
          }
        >
          <option value="">none</option>
          {graph.groups.map((each) => (
            <option key={each.id} value={each.id}>
              {plainLabel(each.label)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function GroupPart({ group }: { group: CanvasGraph['groups'][number] }) {
  const [label, setLabel] = useState(group.label);
  const rename = (event: FormEvent) => {
    event.preventDefault();
    void changeCanvas('The group was not renamed', service.canvas.changeGroup(group.id, { label }));
  };
  const paint = (color: string) =>
    void changeCanvas('The colour was not changed', service.canvas.changeGroup(group.id, { color }));
  return (
    <div className="inspector">
      <h2>Group</h2>
      <form onSubmit={rename}>
        <label>
          name <input required value={label} onChange={({ target }) => setLabel(target.value)} />
        </label>{' '}
        <button type="submit" disabled={label === group.label}>
          Rename
        </button>
      </form>
      <label>
        colour{' '}
        <select value={group.color} onChange={({ target }) => paint(target.value)}>
          {GROUP_COLORS.map((color) => (
            <option key={color}>{color}</option>
          ))}
        </select>
      </label>
      <button
        type="button"
        onClick={() => changeCanvas('The group was not deleted', service.canvas.deleteGroup(group.id))}
      >
        Delete the group
      </button>
    </div>
  );
}

interface ConnectionPartProps {
  graph: CanvasGraph;
  connection: CanvasGraph['connections'][number];
}

function ConnectionPart({ graph, connection }: ConnectionPartProps) {
  const { id, from, to, origin } = connection;
  const [label, setLabel] = useState(connection.label ?? '');
  const titleOf = (terminal: string) =>
    plainLabel(graph.nodes.find(({ terminalId }) => terminalId === terminal)?.title ?? terminal);
  const save = (event: FormEvent) => {
    event.preventDefault();
    void changeCanvas('The label was not changed', service.canvas.label(id, label === '' ? null : label));
  };
  return (
    <div className="inspector">
      <h2>
        {titleOf(from)} → {titleOf(to)}
      </h2>
      <p className="hint">made by {origin === 'agent' ? 'an agent' : 'a user'}</p>
      <form onSubmit={save}>
        <label>
          label <input value={label} onChange={({ target }) => setLabel(target.value)} />
        </label>{' '}
        <button type="submit" disabled={label === (connection.label ?? '')}>
          Save
        </button>
      </form>
      <button type="button" onClick={() => changeCanvas('It was not removed', service.canvas.disconnect(id))}>
        Remove the connection
      </button>
    </div>
  );
}
