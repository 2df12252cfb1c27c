/** Step of a process before it becomes the program: it enters a control group, or limits its data. */
export type Entry = { group: string } | { dataKiB: number };

/** Exit code in place of a program that is not started, since its limits cannot be set. */
const UNLIMITED = 125;

/**
 * Returns a line of sh that limits the shell, and the program that it becomes; the shell ends if that fails.
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
