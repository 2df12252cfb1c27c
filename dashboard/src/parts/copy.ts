import { say } from './toasts.js';

/** Copies by the old `execCommand`, which works without TLS, too. Returns whether the browser has copied. */
function copyBySelection(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  // Elements outside an open dialog cannot get the focus.
  (document.querySelector('dialog:modal') ?? document.body).append(field);
  field.select();
  let isCopied = false;
  try {
    isCopied = document.execCommand('copy');
  } catch {
    // The browser forbids it.
  }
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return isCopied;
}

/** Puts text on the clipboard. Resolves with whether that succeeded; reports it either way. */
export async function copyText(text: string, what = 'Copied'): Promise<boolean> {
  // Browsers offer the clipboard only to pages from this machine or over TLS.
  const isWritten = navigator.clipboard
    ? await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      )
    : false;
  const isCopied = isWritten || copyBySelection(text);
  if (isCopied) say(what);
  else say('The browser does not let this page copy. Select the text and press ctrl+C', true);
  return isCopied;
}
