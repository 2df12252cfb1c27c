/** Longer text is pasted only after a person has confirmed it. */
const MAX_UNASKED_CHARS = 32 * 1024;

const BEGIN = '\x1b[200~';
const END = '\x1b[201~';
const ENDS = /(?:\x1b\[|\x9b)201~/g;
/** All control characters but tab and Return: a page can hide them in what a person copies. */
const CONTROLS = /[\u0000-\u0008\u000b-\u000c\u000e-\u001f\u007f-\u009f]/g;

export interface Paste {
  /** What is typed. */
  data: string;
  /** The text as a person sees it. */
  text: string;
  lines: number;
  /** Why a person has to confirm it. */
  question: 'lines' | 'large' | undefined;
}

/** Returns what a paste types. The program gets it as one piece if it has asked for brackets around pastes. */
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
