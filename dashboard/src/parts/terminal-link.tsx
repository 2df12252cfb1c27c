import { Link } from 'wouter';
import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';

/** The name of a terminal, as a link while the terminal exists. */
export function TerminalLink({ id }: { id: string }) {
  const name = useFleet((state) => state.terminals.get(id)?.name);
  if (name !== undefined) return <Link href={`/t/${id}`}>{plainLabel(name)}</Link>;
  return (
    <>
      {plainLabel(id)} <span className="count">(gone)</span>
    </>
  );
}
