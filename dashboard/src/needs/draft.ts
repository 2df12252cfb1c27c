const PREFIX = 'auto-terminal.draft.';

/** Returns the answer that was begun for a terminal in this window. */
export function draftOf(terminalId: string): string {
  try {
    return sessionStorage.getItem(PREFIX + terminalId) ?? '';
  } catch {
    return '';
  }
}

export function keepDraft(terminalId: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(PREFIX + terminalId);
    else sessionStorage.setItem(PREFIX + terminalId, text);
  } catch {
    // Without storage, the draft lives as long as its card.
  }
}
