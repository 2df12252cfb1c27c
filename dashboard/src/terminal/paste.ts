/** Longer text is pasted only after a person has confirmed it. */
const MAX_UNASKED_CHARS = 32 * 1024;

const BEGIN = '\x1b[200~';
const END = '\x1b[201~';
const ENDS = /(?:\x1b\[|\x9b)201~/g;
/** All control characters but tab, line feed and Return: a page can hide them in text that a person copies. */
const CONTROLS = /[\u0000-\u0008\u000b-\u000c\u000e-\u001f\u007f-\u009f]/g;

export interface Paste {
  /** Text to type. */
  data: string;
  /** The text as a person sees it. */
  text: string;
  lines: number;
  /** Reason why a person must confirm it. */
  question: 'lines' | 'large' | undefined;
}

/** Returns the input for a paste. In bracketed paste mode, the program gets it as one piece. */
export function pasteOf(copied: string, isBracketed: boolean): Paste {
  const text = copied.replace(/\r\n?/g, '\n').replace(ENDS, '').replace(CONTROLS, '');
  const lines = text.split('\n').length;
  const typed = text.replaceAll('\n', '\r');
  return {
    data: isBracketed ? BEGIN + typed + END : typed,
    text,
    lines,
    question: text.length > MAX_UNASKED_CHARS ? 'large' : lines > 1 && !isBracketed ? 'lines' : undefined,
  };
}
