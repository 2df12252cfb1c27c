import { useState } from 'react';

/**
 * Holds a person's unsaved changes. Unchanged values follow the service, so that values saved by another window appear
 * here, and saving here does not undo them.
 */
export function useDraft<Values extends object>(saved: Values) {
  const [changed, setChanged] = useState<Partial<Values>>({});
  return {
    values: { ...saved, ...changed },
    changed,
    isChanged: Object.keys(changed).length > 0,
    set: <Key extends keyof Values>(key: Key, value: Values[Key]) =>
      setChanged((before) => {
        const after = { ...before, [key]: value };
        if (Object.is(saved[key], value)) delete after[key];
        return after;
      }),
    clear: () => setChanged({}),
  };
}
