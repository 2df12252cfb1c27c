import { useQuery } from '@tanstack/react-query';
import type { LayoutTree } from '../../../src/client/browser.js';
import { useServiceEvents } from '../fleet/event-bus.js';
import { queries } from '../parts/queries.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';

const KEY = ['layout'];
const reload = () => void queries.invalidateQueries({ queryKey: KEY });

/** Returns the tabs and panes as the service keeps them, which other windows and new terminals change, too. */
export function useLayout() {
  useServiceEvents('layout.changed', reload);
  return useQuery({ queryKey: KEY, queryFn: ({ signal }) => service.layout.get({ signal }) });
}

/**
 * Changes the present layout: another window may have changed it since this window read it. Resolves with whether the
 * service has taken the change.
 */
export function changeLayout(change: (layout: LayoutTree) => LayoutTree): Promise<boolean> {
  const work = async () => {
    const before = await service.layout.get();
    const after = change(before);
    if (after === before) return;
    queries.setQueryData(KEY, after);
    await service.layout.replace(after);
  };
  return attempt('The layout was not changed', work().finally(reload));
}

/** Names a new pane or tab. */
export function newId(): string {
  return `ui-${crypto.getRandomValues(new Uint32Array(3)).reduce((text, part) => text + part.toString(36), '')}`;
}
