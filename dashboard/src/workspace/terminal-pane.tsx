import { useState } from 'react';
import { Link } from 'wouter';
import { useFleet } from '../fleet/fleet-store.js';
import { statusOf } from '../fleet/status.js';
import { plainLabel } from '../fleet/words.js';
import { StatusMark } from '../parts/status-mark.js';
import { LiveScreen } from '../screens/live-screen.js';
import { ChooseTerminal } from './choose-terminal.js';
import { type Direction, DRAGGED, type Leaf, movedBeside, movedOut } from './layout-tree.js';
import { TerminalBox } from './terminal-box.js';
import { changeLayout, newId } from './use-layout.js';

interface TerminalPaneProps {
  leaf: Leaf;
  /** Whether it is the only pane of its tab. */
  isAlone: boolean;
  isZoomed: boolean;
  onZoom: () => void;
  /** Whether the keys go to it; the other panes show their terminals without attaching. */
  isActive: boolean;
  onActivate: (isActive: boolean) => void;
}

/** A terminal in the workspace, and actions on its pane. */
export function TerminalPane({ leaf, isAlone, isZoomed, onZoom, isActive, onActivate }: TerminalPaneProps) {
  const { id: paneId, terminalId } = leaf;
  const terminal = useFleet((state) => state.terminals.get(terminalId));
  const [asking, setAsking] = useState<Direction>();
  const [isOver, setOver] = useState(false);
  const name = plainLabel(terminal?.name ?? terminalId);
  const add = (direction: Direction, added: string) => {
    setAsking(undefined);
    void changeLayout((layout) => movedBeside(layout, { terminalId: added, paneId, direction }, newId));
  };
  return (
    <section
      className={isOver ? 'pane pane-over' : 'pane'}
      aria-label={name}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const box = event.currentTarget.getBoundingClientRect();
        // Placed below the pane if it is dropped nearer to the lower edge than to the right edge.
        const right = (box.right - event.clientX) / box.width;
        const below = (box.bottom - event.clientY) / box.height;
        add(below < right ? 'vertical' : 'horizontal', event.dataTransfer.getData(DRAGGED));
      }}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons do the same by key */}
      <header
        draggable
        onDragStart={({ dataTransfer }) => dataTransfer.setData(DRAGGED, terminalId)}
        title="Drag it beside another pane"
      >
        {terminal && <StatusMark status={statusOf(terminal)} word={false} />}
        <Link href={`/t/${terminalId}`}>{name}</Link>
        <span className="pane-buttons">
          <button type="button" onClick={() => setAsking('horizontal')}>
            split →<span className="unseen"> Show a terminal at the right of {name}</span>
          </button>
          <button type="button" onClick={() => setAsking('vertical')}>
            split ↓<span className="unseen"> Show a terminal below {name}</span>
          </button>
          {!isAlone && (
            <>
              <button type="button" aria-pressed={isZoomed} onClick={onZoom}>
                zoom<span className="unseen"> {name}</span>
              </button>
              <button
                type="button"
                onClick={() => changeLayout((layout) => movedOut(layout, terminalId, name, newId))}
              >
                own tab<span className="unseen"> for {name}</span>
              </button>
            </>
          )}
        </span>
      </header>
      {isActive ? (
        <TerminalBox terminalId={terminalId} name={name} onLeave={() => onActivate(false)} />
      ) : (
        <button type="button" className="pane-screen" onClick={() => onActivate(true)}>
          <span className="unseen">Type into {name}</span>
          <LiveScreen terminalId={terminalId} fps={10} priority={2} />
        </button>
      )}
      {asking && (
        <ChooseTerminal
          title={asking === 'horizontal' ? 'Show at the right' : 'Show below'}
          except={terminalId}
          onChoose={(added) => add(asking, added)}
          onClose={() => setAsking(undefined)}
        />
      )}
    </section>
  );
}
