/** Largest text, in bytes, that a program may put on the clipboard. */
const MAX_BYTES = 1024 * 1024;

/**
 * Returns the text that a program puts on the clipboard (OSC 52); undefined if it asks for the clipboard's text, or if
 * its data is too long, empty or not text.
 */
export function clipboardText(data: string): string | undefined {
  const [, encoded] = /^[^;]*;([A-Za-z0-9+/=]+)$/.exec(data) ?? [];
  if (encoded === undefined || (encoded.length / 4) * 3 > MAX_BYTES + 2) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text === '' || /[\u0000-\u0008\u000e-\u001f\u007f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** A person's rule for the programs of one terminal. */
export type ClipboardRule = 'ask' | 'session' | 'block';

const rules = new Map<string, ClipboardRule>();

/** Returns the rule of a terminal, which holds for as long as the page is open. */
export function clipboardRule(terminalId: string): ClipboardRule {
  return rules.get(terminalId) ?? 'ask';
}

export function setClipboardRule(terminalId: string, rule: ClipboardRule): void {
  rules.set(terminalId, rule);
}
