/** Internals of an xterm, on a page or headless, that its public interface lacks. */
interface WithCore {
  onData(listener: (data: string) => void): unknown;
  _core: { coreService: { onUserInput(listener: () => void): unknown } };
}

/**
 * Calls `onInput` with a person's keys, pastes and mouse reports. xterm reports its own answers to the program through
 * the same event; these answers, and its focus reports, are left out.
 */
export function onUserInput(term: object, onInput: (data: string) => void): void {
  const { _core: core } = term as WithCore;
  let isOfUser = false;
  // xterm fires this right before the data, and only for a person's input.
  core.coreService.onUserInput(() => {
    isOfUser = true;
  });
  (term as WithCore).onData((data) => {
    const isWanted = isOfUser && data !== '';
    isOfUser = false;
    if (isWanted) onInput(data);
  });
}
