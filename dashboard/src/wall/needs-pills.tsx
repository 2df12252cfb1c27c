import type { FleetTerminal } from '../fleet/after-event.js';
import { statusOf } from '../fleet/status.js';
import type { WallRow } from './wall-rows.js';

interface NeedsPillsProps {
  rows: readonly WallRow[];
  terminals: ReadonlyMap<string, FleetTerminal>;
  /** First and last row in view. */
  from: number;
  to: number;
  onShow: (id: string) => void;
}

/** Says how many terminals out of view wait for somebody, and leads to the nearest of them. */
export function NeedsPills({ rows, terminals, from, to, onShow }: NeedsPillsProps) {
  const waiting = (some: readonly WallRow[]) =>
    some
      .flatMap((row) => (row.kind === 'tiles' ? row.ids : []))
      .filter((id) => {
        const terminal = terminals.get(id);
        return terminal && statusOf(terminal) === 'waiting';
      });
  const above = waiting(rows.slice(0, from));
  const below = waiting(rows.slice(to + 1));
  return (
    <>
      {above.length > 0 && (
        <button type="button" className="pill pill-above" onClick={() => onShow(above.at(-1)!)}>
          ◆ {above.length} need you above
        </button>
      )}
      {below.length > 0 && (
        <button type="button" className="pill pill-below" onClick={() => onShow(below[0]!)}>
          ◆ {below.length} need you below
        </button>
      )}
    </>
  );
}
