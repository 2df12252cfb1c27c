import { useState } from 'react';

/**
 * Holds what a person has changed and not saved yet. A value that was not touched follows the service, so that what another
 * window saves is seen, and is not undone by saving here.
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
