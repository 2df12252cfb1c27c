/** What an xterm, of pages or headless, has beside its public interface. */
interface WithCore {
  onData(listener: (data: string) => void): unknown;
  _core: { coreService: { onUserInput(listener: () => void): unknown } };
}

/**
 * Calls `onInput` with what a person types, pastes or does with the mouse. xterm reports its own answers to the program
 * through the same event; those, and its reports of the focus, are left out.
 */
export function onUserInput(term: object, onInput: (data: string) => void): void {
  const { _core: core } = term as WithCore;
  let isOfUser = false;
  // xterm fires this right before the data, and only for a person's.
  core.coreService.onUserInput(() => {
    isOfUser = true;
  });
  (term as WithCore).onData((data) => {
    const isWanted = isOfUser && data !== '';
    isOfUser = false;
    if (isWanted) onInput(data);
  });
}
