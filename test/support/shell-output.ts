import { readMarks } from './mark-reader.js';

/** An ended command, as its marks report it. */
export interface EndedCommand {
  line: string | null;
  status: string | null;
  output: string;
}

/** Returns the ended commands, as the tracker finds them. */
export function commandsOf(bytes: Buffer, nonce: string): EndedCommand[] {
  const commands: EndedCommand[] = [];
  const open: { pid: number; line: string | null; from: number }[] = [];
  let line: string | null = null;
  /** Ends the commands of a shell, and the commands of shells within it. */
  const finish = (pid: number, status: string | null, at: number) => {
    while (open.some((command) => command.pid === pid)) {
      const command = open.pop()!;
      const output = withoutMarks(bytes.subarray(command.from, at), nonce).toString();
      commands.push({ line: command.line, status: command.pid === pid ? status : null, output });
    }
  };
  for (const { letter, value, pid, begin, end } of readMarks(bytes, nonce)) {
    if (letter === 'D') finish(pid, value, begin);
    if (letter === 'A') finish(pid, null, begin);
    if (letter === 'E') line = value;
    if (letter === 'C') {
      finish(pid, null, begin);
      open.push({ pid, line, from: end });
      line = null;
    }
  }
  return commands;
}

export function withoutMarks(bytes: Buffer, nonce: string): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  for (const { begin, end } of readMarks(bytes, nonce)) {
    kept.push(bytes.subarray(from, begin));
    from = end;
  }
  return Buffer.concat([...kept, bytes.subarray(from)]);
}
