import type { History } from '../history.js';
import { positionOf } from '../read-cursor.js';
import type { MarkState } from './command-plan.js';
import type { Mark, ZshLine } from './mark.js';

/** Bytes of output in which the last line is looked for. */
const TAIL_BYTES = 4096;

const ESCAPES = /\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[ -/]*[0-~])/g;

/** A message of an expansion that names its parameter: `x: parameter not set`, or any text of `${x:?text}`. */
const PARAMETER = String.raw`(?:[A-Za-z_]\w*(?:\[[^\]]*\])?|\d+|[*@#?$!-]): \S`;

/** Messages of expansions that name no parameter. */
const EXPANSION = [
  'division by zero',
  'bad math expression',
  'bad substitution',
  'error in flags',
  'invalid subscript',
  'no such user or named directory: ',
  'read-only variable: ',
  'bad floating point constant',
  'number truncated after ',
  String.raw`\S+ not found$`,
].join('|');

/** The beginning of a message in a function: its name, and the number of its line if that is known. */
const IN_FUNCTION = new RegExp(String.raw`^[^\s:]+:(?:\d+:)? (?:${PARAMETER}|${EXPANSION})`);

/** Any message outside of functions. */
const AT_TOP = /^zsh: (.*)/;

/** Messages of zsh about a program that ended, or was not found: zsh sets a status of its own for these. */
const OF_PROGRAM =
  /^(?:command not found|no such file or directory|permission denied|exec format error|no matches found|bad pattern): |^exit \d+|^[a-z][a-z ]*(?: \(core dumped\))? {2,}\S/;

const NAMES_PARAMETER = new RegExp(`^${PARAMETER}`);

/**
 * Returns the end of a command without its exit code if that code is not the command's own. zsh may keep the status of an
 * earlier command for a line that it gives up while it expands the words of a builtin, an assignment or a `case`, and
 * reports nothing else of that. Only its message shows it.
 */
export function withoutOtherStatus<End extends Mark & { kind: 'outputEnd' }>(
  mark: End,
  { levels }: Pick<MarkState, 'levels'>,
  history: Pick<History, 'between'>,
): End {
  const running = levels.findLast(({ pid }) => pid === mark.pid)?.running;
  const { zsh, start = '' } = running ?? {};
  if (!zsh || (mark.exitCode !== 0 && mark.exitCode !== zsh.status)) return mark;
  const from = Math.max(positionOf(start), mark.begin - TAIL_BYTES);
  const { segments } = history.between(from, mark.begin);
  const bytes = segments.flatMap((segment) => ('bytes' in segment ? [segment.bytes] : []));
  return isGivenUp(Buffer.concat(bytes).toString('latin1'), zsh) ? { ...mark, exitCode: null } : mark;
}

/** Returns whether a command's output ends with zsh's message that it has given up the line. */
export function isGivenUp(output: string, { callsFunction }: Pick<ZshLine, 'callsFunction'>): boolean {
  const last =
    output
      .replace(ESCAPES, '')
      .trimEnd()
      .split(/[\r\n]+/)
      .at(-1) ?? '';
  const message = AT_TOP.exec(last)?.[1];
  if (message === undefined) return callsFunction && IN_FUNCTION.test(last);
  return NAMES_PARAMETER.test(message) || !OF_PROGRAM.test(message);
}
