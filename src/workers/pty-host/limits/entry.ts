/** What a process does to itself before it becomes the program: enters a control group, or limits its data. */
export type Entry = { group: string } | { dataKiB: number };

/** Exit code of a program that is not started, since its limits cannot be set. */
const UNLIMITED = 125;

/**
 * Returns a line of sh after which the shell, and what it becomes, is limited; the shell ends if that fails.
 *
 * @param pid - the shell's own process id, as the shell expands it
 */
export function entryLine(entry: Entry, pid: string): string {
  const limit =
    'group' in entry ? `echo ${pid} >${shellQuoted(entry.group)}` : `ulimit -d ${Math.floor(entry.dataKiB)}`;
  return `${limit} || exit ${UNLIMITED}`;
}

function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
