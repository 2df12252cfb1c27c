import { useFleet } from '../fleet/fleet-store.js';
import { isNews } from '../looked/looks.js';
import { noteLooks, useLooks } from '../looked/looks-store.js';

/** Says in how many terminals something has happened since somebody looked, and takes all of them as seen. */
export function NewsChip() {
  const terminals = useFleet((state) => state.terminals);
  const looks = useLooks();
  const news = [...terminals.values()].filter((each) => each.id !== looks.present && isNews(each, looks));
  if (news.length === 0) return null;
  return (
    <button
      type="button"
      className="news-chip"
      title="Takes all of them as seen"
      onClick={() => noteLooks(news.map(({ id }) => id))}
    >
      {news.length.toLocaleString()} new: mark as seen
    </button>
  );
}
