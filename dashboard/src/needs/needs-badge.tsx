import { useNeeds } from './needs-store.js';

/** How many terminals need somebody, for the navigation. */
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
