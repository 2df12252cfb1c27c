/** Keys that a button sends. */
export interface KeyButton {
  label: string;
  /** The key by its name for people. */
  does: string;
  /** A named key; otherwise the label is typed as it is. */
  key?: string;
  /** Whether it is useful only in menus of agents: a shell would read it as the beginning of a command. */
  isForAgent?: boolean;
  /** Whether it is an answer: other keys move in a menu, or need Enter after them. */
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

/** Way to send a text, and whether that is an answer. */
export interface Sending {
  as: 'key' | 'text';
  isAnswer: boolean;
}

/**
 * Returns the way to send a text. To an agent a single character is sent as a key alone: a menu takes it at once, and
 * an Enter after it would choose the selected entry of that menu, or of the next. A letter may still need Enter.
 */
export function sendingOf(text: string, isAgent: boolean): Sending {
  if (!isAgent || !/^[0-9a-z]$/i.test(text)) return { as: 'text', isAnswer: true };
  return { as: 'key', isAnswer: /\d/.test(text) };
}
