import { create } from 'zustand';
import { type Facts, NO_FACTS } from './facts.js';
import { type Marks, NO_MARKS } from './needs.js';

const MARKS_KEY = 'auto-terminal.needs.marks';
const FACTS_KEY = 'auto-terminal.needs.facts';

/** Returns what is stored, as far as it has the shape of `none`. */
function read<Value extends object>(key: string, none: Value): Value {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null') as Record<string, unknown> | null;
    const parts = Object.entries(none).map(([name, empty]) => {
      const part = stored?.[name];
      const isLike =
        typeof part === 'object' && part !== null && Array.isArray(part) === Array.isArray(empty);
      return [name, isLike ? part : empty];
    });
    return Object.fromEntries(parts) as Value;
  } catch {
    return none;
  }
}

function write(key: string, value: object): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Full or forbidden: this window still knows it.
  }
}

const useMarksStore = create<{ marks: Marks }>(() => ({ marks: read(MARKS_KEY, NO_MARKS) }));

export function marksNow(): Marks {
  return useMarksStore.getState().marks;
}

/** Changes the marks as another window has left them. */
export function changeMarks(change: (marks: Marks) => Marks): void {
  const before = read(MARKS_KEY, marksNow());
  const marks = change(before);
  if (marks === before) return;
  write(MARKS_KEY, marks);
  useMarksStore.setState({ marks });
}

/** Calls back when marks have changed, here or in another window. */
export function followMarks(onChange: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === MARKS_KEY) useMarksStore.setState({ marks: read(MARKS_KEY, NO_MARKS) });
  };
  addEventListener('storage', onStorage);
  const leave = useMarksStore.subscribe(onChange);
  return () => {
    removeEventListener('storage', onStorage);
    leave();
  };
}

export function storedFacts(): Facts {
  return read(FACTS_KEY, NO_FACTS);
}

/** Stores facts without command lines, which may hold secrets. */
export function storeFacts({ waits, failed }: Facts): void {
  const bare = Object.entries(failed).map(([id, { commandLine: _, ...rest }]) => [id, rest]);
  write(FACTS_KEY, { waits, failed: Object.fromEntries(bare) });
}
