import { useState } from 'react';

interface KeyRowProps {
  /** Types the bytes of a key of the row. */
  onKey: (data: string) => void;
  /** Types a line of text, and calls back once that is done. */
  onLine: (text: string, onTyped: () => void) => void;
  /** Whether cursor keys are in application mode. */
  isApplication: () => boolean;
}

const KEYS: ReadonlyArray<[label: string, data: string, name?: string]> = [
  ['Esc', '\x1b', 'Esc, the Escape key'],
  ['Tab', '\t'],
  ['^C', '\x03', '^C, Control C'],
];
const ARROWS: ReadonlyArray<[label: string, final: string, name: string]> = [
  ['↑', 'A', 'Up'],
  ['↓', 'B', 'Down'],
  ['←', 'D', 'Left'],
  ['→', 'C', 'Right'],
];
const ANSWERS: ReadonlyArray<[label: string, data: string]> = [
  ['Enter', '\r'],
  ['y', 'y'],
  ['n', 'n'],
];

/** Keys that a phone lacks, and a field for typing with its own keyboard, which knows words and scripts. */
export function KeyRow({ onKey, onLine, isApplication }: KeyRowProps) {
  const [line, setLine] = useState('');
  const send = () => onLine(line, () => setLine(''));
  const button = (label: string, data: () => string, name?: string) => (
    <button key={label} type="button" aria-label={name} onClick={() => onKey(data())}>
      {label}
    </button>
  );
  return (
    <div className="key-row">
      <div role="toolbar" aria-label="Keys">
        {KEYS.map(([label, data, name]) => button(label, () => data, name))}
        {ARROWS.map(([label, final, name]) =>
          button(label, () => `\x1b${isApplication() ? 'O' : '['}${final}`, name),
        )}
        {ANSWERS.map(([label, data]) => button(label, () => data))}
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <textarea
          rows={1}
          aria-label="Text to type into the terminal"
          placeholder="type here, Enter sends it"
          autoCapitalize="off"
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="send"
          value={line}
          onChange={({ target }) => setLine(target.value)}
          onKeyDown={(event) => {
            // An Enter that ends a composition belongs to the input method.
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <button type="submit">Send</button>
      </form>
    </div>
  );
}
