import { useEffect, useRef } from 'react';

/** Actions by key; a key of two strokes is written `g w`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

const SECOND_STROKE_MS = 1_000;
let first: { key: string; at: number } | undefined;
const layers: Array<{ current: Shortcuts }> = [];

/** Returns the key as the tables of shortcuts write it. */
function nameOf({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string {
  const name = key === ' ' ? 'Space' : key;
  if (ctrlKey || metaKey) return `ctrl+${shiftKey ? 'shift+' : ''}${name.toLowerCase()}`;
  return shiftKey && (name.length > 1 || /^[A-Z]$/.test(name)) ? `shift+${name.toLowerCase()}` : name;
}

/**
 * Whether the key belongs to the focused element, a field or a terminal, or to an open dialog: the focus leaves a dialog when
 * the button that had it is gone.
 */
function isTaken({ target }: KeyboardEvent): boolean {
  if (document.querySelector('dialog:modal') !== null) return true;
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable], [data-keys]') !== null
  );
}

function isPress({ target }: KeyboardEvent, name: string): boolean {
  const presses = name === 'Enter' || name === 'Space';
  return presses && target instanceof HTMLElement && target.closest('a, button, summary') !== null;
}

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const name = nameOf(event);
  const isCommand = name.startsWith('ctrl+');
  if ((isTaken(event) && !isCommand) || isPress(event, name)) return;
  const both = first && event.timeStamp - first.at < SECOND_STROKE_MS ? `${first.key} ${name}` : undefined;
  first = undefined;
  // The second stroke of `g s` is not the key `s` of the page.
  for (const stroke of both === undefined ? [name] : [both, name]) {
    const action = layers.findLast(({ current }) => current[stroke])?.current[stroke];
    if (!action) continue;
    event.preventDefault();
    action();
    return;
  }
  first = { key: name, at: event.timeStamp };
});

/** Gives keys a meaning for as long as the component is shown. The component shown last wins. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    layers.push(current);
    return () => void layers.splice(layers.indexOf(current), 1);
  }, []);
}
