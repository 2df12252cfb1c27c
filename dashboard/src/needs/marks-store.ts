import { create } from 'zustand';
import { readStored, writeStored } from '../parts/stored.js';
import { type Facts, NO_FACTS } from './facts.js';
import { type Marks, NO_MARKS } from './needs.js';

const MARKS_KEY = 'auto-terminal.needs.marks';
const FACTS_KEY = 'auto-terminal.needs.facts';

const useMarksStore = create<{ marks: Marks }>(() => ({ marks: readStored(MARKS_KEY, NO_MARKS) }));

export function marksNow(): Marks {
  return useMarksStore.getState().marks;
}

/** Changes the stored marks, which another window may have changed. */
export function changeMarks(change: (marks: Marks) => Marks): void {
  const before = readStored(MARKS_KEY, marksNow());
  const marks = change(before);
  if (marks === before) return;
  writeStored(MARKS_KEY, marks);
  useMarksStore.setState({ marks });
}

/** Calls back when marks have changed, here or in another window. */
export function followMarks(onChange: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === MARKS_KEY) useMarksStore.setState({ marks: readStored(MARKS_KEY, NO_MARKS) });
  };
  addEventListener('storage', onStorage);
  const leave = useMarksStore.subscribe(onChange);
  return () => {
    removeEventListener('storage', onStorage);
    leave();
  };
}

export function storedFacts(): Facts {
  return readStored(FACTS_KEY, NO_FACTS);
}

/** Stores facts without command lines, which may hold secrets. */
export function storeFacts({ waits, failed }: Facts): void {
  const bare = Object.entries(failed).map(([id, { commandLine: _, ...rest }]) => [id, rest]);
  writeStored(FACTS_KEY, { waits, failed: Object.fromEntries(bare) });
}
