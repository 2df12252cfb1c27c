/** Internals of an xterm, on a page or headless, that its public interface lacks. */
interface WithCore {
  onData(listener: (data: string) => void): unknown;
  onBinary(listener: (data: string) => void): unknown;
  _core: { coreService: { onUserInput(listener: () => void): unknown } };
}

interface Listeners {
  /** Called with a person's keys and pastes. */
  onInput: (data: string) => void;
  /** Called with the terminal's reports of a person's actions other than typing: the mouse. */
  onReport: (data: string) => void;
}

const MOUSE = /^\x1b\[<\d+;\d+;\d+[Mm]$/;

/**
 * Passes on a person's input. xterm reports its own answers to the program through the same event; these answers, and
 * its focus reports, are left out.
 */
export function onUserInput(term: object, { onInput, onReport }: Listeners): void {
  const { _core: core } = term as WithCore;
  let isOfUser = false;
  // xterm fires this right before the data, and only for a person's input.
  core.coreService.onUserInput(() => {
    isOfUser = true;
  });
  (term as WithCore).onData((data) => {
    const isWanted = isOfUser && data !== '';
    isOfUser = false;
    if (isWanted) (MOUSE.test(data) ? onReport : onInput)(data);
  });
  // Mouse reports in the old form, for programs that do not ask for another. Beyond column 95 they are no text.
  (term as WithCore).onBinary((data) => /^[\0-\x7f]*$/.test(data) && onReport(data));
}
