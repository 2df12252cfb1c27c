import { create } from 'zustand';
import { say } from '../parts/toasts.js';
import { useNeeds } from './needs-store.js';

/** The entry that the page of needs is to focus once it is shown. */
export const useWanted = create<{ key: string | undefined }>(() => ({ key: undefined }));

/** Goes to a need, or to the first that counts; `go` changes the page. */
export function showNeed(go: (path: string) => void, key?: string): void {
  const { entries } = useNeeds.getState();
  const entry = entries.find(({ need }) => need.key === key) ?? entries.find(({ isCounted }) => isCounted);
  if (!entry) {
    say('Nobody needs you');
    return;
  }
  useWanted.setState({ key: entry.need.key });
  go('/needs');
}
