import { memo } from 'react';
import { chosenByClick, useSelection } from '../batch/selection.js';
import type { FleetTerminal } from '../fleet/after-event.js';
import { statusOf, statusSince } from '../fleet/status.js';
import { plainLabel } from '../fleet/words.js';
import { isNews } from '../looked/looks.js';
import { useLooks } from '../looked/looks-store.js';
import { Age } from '../parts/age.js';
import { StatusMark } from '../parts/status-mark.js';
import { LiveScreen } from '../screens/live-screen.js';
import { Sparkline } from './sparkline.js';

interface TileProps {
  terminal: FleetTerminal;
  /** Most columns of the screen that are shown. */
  maxCols: number | undefined;
  isActive: boolean;
  isHovered: boolean;
  onHover: (id: string) => void;
  onActivate: (id: string) => void;
  onOpen: (id: string) => void;
}

/** The last line of a tile: the agent's reason for waiting, else the command and its outcome. */
function TileFoot({ terminal }: { terminal: FleetTerminal }) {
  const { command, agentStatusReason, status, exitCode, signal } = terminal;
  if (status === 'exited') {
    return (
      <span className="tile-foot">
        <span className={signal || exitCode !== 0 ? 'exit-bad' : undefined}>
          {signal ? `ended by ${signal}` : `exit ${exitCode ?? 'unknown'}`}
        </span>
      </span>
    );
  }
  if (agentStatusReason !== null) return <span className="tile-foot">{plainLabel(agentStatusReason)}</span>;
  if (command === null) return <span className="tile-foot" />;
  const isBad = command.exitCode !== null && command.exitCode !== 0;
  return (
    <span className="tile-foot">
      <code>{plainLabel(command.commandLine)}</code>
      {command.endedAt !== null && (
        <span className={isBad ? 'exit exit-bad' : 'exit'}>
          {command.exitCode === null ? 'exit unknown' : `exit ${command.exitCode}`}
        </span>
      )}
    </span>
  );
}

/** A terminal on the wall. */
export const Tile = memo(function Tile({
  terminal,
  maxCols,
  isActive,
  isHovered,
  onHover,
  onActivate,
  onOpen,
}: TileProps) {
  const { id, name, agent } = terminal;
  const isSelected = useSelection(({ selected }) => selected.has(id));
  const status = statusOf(terminal);
  const hasNews = useLooks((looks) => looks.present !== id && isNews(terminal, looks));
  const isUrgent = isHovered || status === 'waiting';
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the wall takes the keys of all its tiles
    <div
      role="gridcell"
      className={`tile tile-${status}`}
      data-terminal={id}
      tabIndex={isActive ? 0 : -1}
      onFocus={() => onActivate(id)}
      onPointerEnter={() => onHover(id)}
      aria-selected={isSelected}
      onClick={(event) => chosenByClick(id, event) || onOpen(id)}
    >
      <span className="tile-head">
        {isSelected && (
          <span className="tile-check" aria-hidden="true">
            ✓
          </span>
        )}
        <StatusMark status={status} word={false} />
        <span className="tile-name">
          {plainLabel(name)}
          {hasNews && (
            <span className="tile-news" title="Something has happened since you looked">
              {' '}
              new
            </span>
          )}
        </span>
        {agent !== null && <span className="tile-agent">{plainLabel(agent)}</span>}
        <Sparkline terminalId={id} />
        <Age since={statusSince(terminal)} />
      </span>
      <LiveScreen
        terminalId={id}
        maxCols={maxCols}
        fps={isUrgent ? 4 : 2}
        priority={isHovered ? 3 : isUrgent ? 2 : 0}
      />
      <TileFoot terminal={terminal} />
    </div>
  );
});
