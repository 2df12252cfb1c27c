/** Keys that a button sends. */
export interface KeyButton {
  label: string;
  /** The key by its name for people. */
  does: string;
  /** A named key; otherwise the label is typed as it is. */
  key?: string;
  /** Whether it is of use in menus of agents only: a shell would take it for the beginning of a command. */
  isForAgent?: boolean;
  /** Whether it answers: other keys move in a menu, or want Enter behind them. */
  isAnswer: boolean;
}

export const KEY_BUTTONS: readonly KeyButton[] = [
  { label: '1', does: '1', isForAgent: true, isAnswer: true },
  { label: '2', does: '2', isForAgent: true, isAnswer: true },
  { label: '3', does: '3', isForAgent: true, isAnswer: true },
  { label: 'y', does: 'y', isForAgent: true, isAnswer: false },
  { label: 'n', does: 'n', isForAgent: true, isAnswer: false },
  { label: 'Esc', does: 'Escape', key: 'escape', isAnswer: true },
  { label: 'Enter', does: 'Enter', key: 'enter', isAnswer: true },
  { label: '↑', does: 'arrow up', key: 'up', isAnswer: false },
  { label: '↓', does: 'arrow down', key: 'down', isAnswer: false },
];

/** How a text is sent, and whether that answers. */
export interface Sending {
  as: 'key' | 'text';
  isAnswer: boolean;
}

/**
 * Says how a text is sent. To an agent a single character goes as a key alone: a menu takes it at once, and an Enter
 * behind it would choose whatever the menu, or the next one, has selected. A letter may still want Enter.
 */
export function sendingOf(text: string, isAgent: boolean): Sending {
  if (!isAgent || !/^[0-9a-z]$/i.test(text)) return { as: 'text', isAnswer: true };
  return { as: 'key', isAnswer: /\d/.test(text) };
}
