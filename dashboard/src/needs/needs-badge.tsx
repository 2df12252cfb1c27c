import { useNeeds } from './needs-store.js';

/** The number of terminals that need a person, for the navigation. */
export function NeedsBadge() {
  const count = useNeeds((state) => state.count);
  if (count === 0) return null;
  return (
    <span className="badge">
      <span aria-hidden="true">◆ </span>
      {count.toLocaleString()}
    </span>
  );
}
