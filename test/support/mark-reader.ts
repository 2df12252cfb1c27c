/** A mark found in the output. */
export interface SeenMark {
  letter: string;
  /** Status of D, command line of E, cwd of P; the content of R, L, Q, S and I; empty for the others. */
  value: string;
  pid: number;
  /** In mark A: whether the keys for runs work. */
  isReady?: boolean;
  /** Positions of the mark's first byte and after its last byte. */
  begin: number;
  end: number;
}

const OSC = /\x1b\](133|633);([^\x07\x1b]*)(?:\x07|\x1b\\)/g;

/** Returns the marks with the nonce, in order. Written for tests, independently of the tracker's reader. */
export function readMarks(output: Buffer, nonce: string): SeenMark[] {
  return [...output.toString('latin1').matchAll(OSC)].flatMap((match) => {
    const mark = match[1] === '133' ? prompt(match[2]!, nonce) : property(match[2]!, nonce);
    return mark ? [{ ...mark, begin: match.index, end: match.index + match[0].length }] : [];
  });
}

function prompt(content: string, nonce: string) {
  const match = /^([ABCD])(?:;(-?\d+))?(?:;n=\d+)?;k=(\w+);s=(\d+)(;r=1)?(?:;z=-?\d+)?(?:;f=1)?$/.exec(
    content,
  );
  if (match?.[3] !== nonce) return undefined;
  return { letter: match[1]!, value: match[2] ?? '', pid: Number(match[4]), isReady: match[5] !== undefined };
}

function property(content: string, nonce: string) {
  const match = /^([EP](?=;[^;]*;\w+;\d+$)|[RLQSI]);(.*);(\w+);(\d+)$/s.exec(content);
  if (match?.[3] !== nonce) return undefined;
  return { letter: match[1]!, value: unescaped(match[2]!).replace(/^Cwd=/, ''), pid: Number(match[4]) };
}

function unescaped(text: string): string {
  const bytes = text.replace(/\\(?:\\|x([0-9a-fA-F]{2}))/g, (_all, hex?: string) =>
    hex === undefined ? '\\' : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
