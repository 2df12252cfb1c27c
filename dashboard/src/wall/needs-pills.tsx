import { useNeeds } from '../needs/needs-store.js';
import type { WallRow } from './wall-rows.js';

interface NeedsPillsProps {
  rows: readonly WallRow[];
  /** First and last row in view. */
  from: number;
  to: number;
  onShow: (id: string) => void;
}

/** The number of terminals out of view that need a person, by the queue; a click goes to the nearest. */
export function NeedsPills({ rows, from, to, onShow }: NeedsPillsProps) {
  const entries = useNeeds((state) => state.entries);
  const needing = new Set(entries.filter(({ isCounted }) => isCounted).map(({ need }) => need.terminalId));
  const among = (some: readonly WallRow[]) =>
    some.flatMap((row) => (row.kind === 'tiles' ? row.ids : [])).filter((id) => needing.has(id));
  const above = among(rows.slice(0, from));
  const below = among(rows.slice(to + 1));
  return (
    <>
      {above.length > 0 && (
        <button type="button" className="pill pill-above" onClick={() => onShow(above.at(-1)!)}>
          ◆ {wordsOf(above.length)} above
        </button>
      )}
      {below.length > 0 && (
        <button type="button" className="pill pill-below" onClick={() => onShow(below[0]!)}>
          ◆ {wordsOf(below.length)} below
        </button>
      )}
    </>
  );
}

function wordsOf(count: number): string {
  return count === 1 ? '1 needs you' : `${count.toLocaleString()} need you`;
}
