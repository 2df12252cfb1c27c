import { useQuery } from '@tanstack/react-query';
import type { SettingsAnswer, SettingsChange } from '../../../src/client/browser.js';
import { useServiceEvents } from '../fleet/event-bus.js';
import { queries } from '../parts/queries.js';
import { attempt, say } from '../parts/toasts.js';
import { service } from '../service.js';

const KEY = ['settings'];

/** Returns the settings of the service, which another window or an edit of their file may change. */
export function useSettings(): { settings: SettingsAnswer | undefined; error: unknown } {
  const { data, error } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => service.settings.get({ signal }),
  });
  useServiceEvents('settings.changed', () => void queries.invalidateQueries({ queryKey: KEY }));
  return { settings: data, error };
}

/** Changes settings. Resolves with whether the service has taken them. */
export async function changeSettings(change: SettingsChange): Promise<boolean> {
  const isTaken = await attempt(
    'The settings were not changed',
    service.settings.change(change).then((answer) => queries.setQueryData(KEY, answer)),
  );
  if (isTaken) say('Saved');
  return isTaken;
}
