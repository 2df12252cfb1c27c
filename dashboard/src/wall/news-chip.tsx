import { useFleet } from '../fleet/fleet-store.js';
import { isNews } from '../looked/looks.js';
import { noteLooks, useLooks } from '../looked/looks-store.js';

/** The number of terminals with news since the latest look; a click marks all as seen. */
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
