/** Text on why the output of a command in a shell has a gap, and on how to get it without gaps. */
export const MISSING_OUTPUT =
  'output is missing here: it came faster than it could be read, and a terminal keeps 256 KiB, or the terminal has gone. ' +
  'A file, or `auto-terminal run`, gets all of it';
