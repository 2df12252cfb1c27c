import { useState } from 'react';
import { PAGES } from '../pages.js';
import { Dialog } from './dialog.js';
import { useShortcuts } from './shortcuts.js';

/** Keys of the wall, of lists of terminals, and of the queue. */
const KEYS: ReadonlyArray<[keys: string, does: string]> = [
  ['/', 'filter, or search'],
  ['arrows, h j k l', 'move between terminals'],
  ['Enter', 'open the terminal'],
  ['Space', 'peek at the terminal'],
  ['x, shift+x', 'select a terminal, all up to it'],
  ['*, Escape', 'select all shown, none'],
  ['b', 'run a command in the selected'],
  ['n, shift+n', 'next, previous terminal that needs you'],
  ['ctrl+k', 'go to a page or a terminal by name'],
  ['j, k', 'needs you: next, previous card'],
  ['a', 'needs you: answer; Escape goes back to the card'],
  ['z', 'needs you: snooze for 15 minutes'],
  ['s', 'needs you: skip, to the end'],
  ['d, u', 'needs you: done, undo done'],
  ['o', 'needs you: open the terminal'],
  ['Enter, Esc Esc', 'type into the terminal of the page, and leave it'],
  ['t', 'on the page of a terminal: take it over, give it back'],
  ['ctrl+shift+f', 'find in the terminal'],
  ['ctrl+shift+c, ctrl+shift+v', 'copy from the terminal, paste into it'],
  ['Space, ← →, [ ], < >', 'in a recording: play, seek, command or wait, speed'],
  ['?', 'this list'],
];

export function KeysHelp() {
  const [isOpen, setOpen] = useState(false);
  useShortcuts({ '?': () => setOpen(true) });
  if (!isOpen) return null;
  const pages = PAGES.flatMap(
    ({ key, name }): Array<[string, string]> => (key ? [[`g ${key}`, `go to ${name}`]] : []),
  );
  return (
    <Dialog title="Keys" onClose={() => setOpen(false)}>
      <dl className="keys">
        {[...KEYS, ...pages].map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
