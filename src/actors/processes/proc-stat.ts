/** One line of /proc/<pid>/stat, as far as it is needed here; see proc(5). */
export interface ProcStat {
  pid: number;
  /** Name of the process; the kernel cuts it after 15 bytes. */
  name: string;
  /** `R`, `S`, `Z`, ... */
  state: string;
  parent: number;
  group: number;
  session: number;
  /** Foreground process group of the controlling terminal; -1 where there is no such terminal. */
  foreground: number;
  /** CPU time in clock ticks: its own, and that of the children it has waited for. */
  ticks: number;
  childTicks: number;
  /** Clock ticks after boot. */
  startedAt: number;
  residentPages: number;
  /** Where its command line lies in its memory, which each exec changes; absent where the kernel hides it. */
  argumentsAt?: string;
}

/** Positions counted from the field after the name. */
const STATE = 0;
const PARENT = 1;
const GROUP = 2;
const SESSION = 3;
const FOREGROUND = 5;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const CHILD_USER_TICKS = 13;
const CHILD_SYSTEM_TICKS = 14;
const STARTED_AT = 19;
const RESIDENT_PAGES = 21;
const ARGUMENTS_START = 45;
const ARGUMENTS_END = 46;

/** Parses a line of /proc/<pid>/stat; returns null for any other text. */
export function parseStat(text: string): ProcStat | null {
  // The name is in parentheses, and may contain spaces and parentheses itself.
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  const number = (index: number) => Number(fields[index]);
  const pid = Number(text.slice(0, open));
  if (open < 1 || close < open || !Number.isInteger(pid) || fields.length <= RESIDENT_PAGES) return null;
  return {
    pid,
    name: text.slice(open + 1, close),
    state: fields[STATE] ?? '',
    parent: number(PARENT),
    group: number(GROUP),
    session: number(SESSION),
    foreground: number(FOREGROUND),
    ticks: number(USER_TICKS) + number(SYSTEM_TICKS),
    childTicks: number(CHILD_USER_TICKS) + number(CHILD_SYSTEM_TICKS),
    startedAt: number(STARTED_AT),
    residentPages: number(RESIDENT_PAGES),
    ...(isReported(fields[ARGUMENTS_START]) && {
      argumentsAt: `${fields[ARGUMENTS_START]}-${fields[ARGUMENTS_END]}`,
    }),
  };
}

/** The kernel writes 0 for an address if the reader may not see the process' memory. */
function isReported(address: string | undefined): boolean {
  return address !== undefined && address !== '0';
}

/** Returns whether the process is dead, whether or not its parent has waited for it. */
export function hasEnded(stat: ProcStat): boolean {
  return stat.state === 'Z' || stat.state === 'X';
}
