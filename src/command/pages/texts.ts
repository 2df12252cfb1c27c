/** Texts of the help, which the manual page has, too. */

export const TARGETS = `Targets are ids, beginnings of ids, names, "me" (the terminal of the caller), or "-" (ids from standard input).`;

export const EXIT_STATUS = `0 done, 1 failed, 2 wrong arguments, 3 not found, 4 denied, 5 conflict, 7 no service, 75 try again,
124 timed out. run, exec, batch run and lease hold end with the code of the command: 128+n if a signal ended it, 125 if the service
could not run it, 126 if it is not executable, 127 if there is no such program, 141 if nobody reads its output.`;

export const EXAMPLES: readonly [line: string, what: string][] = [
  ['auto-terminal new -l role=test', 'a terminal with your shell'],
  ['auto-terminal run -- make test', 'a program, its output, and its exit code'],
  ['auto-terminal batch run -l role=test -- git pull', 'a command in many terminals'],
  ['auto-terminal ls', 'who does what'],
  ['auto-terminal attach NAME', 'into a terminal; ctrl+\\ d leaves it'],
];

export const SERVING = `auto-terminal serve starts the service here, and auto-terminal mcp the tool server alone; each lists its options by
--help. Without a verb, the service starts. auto-terminal stop ends it.`;
