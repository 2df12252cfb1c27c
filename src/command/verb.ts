import { Command, InvalidArgumentError, Option } from 'commander';
import type { TokenOptions } from '../client/index.js';
import { usageError } from './exit-codes.js';

/** Returns a verb with the options that name the service. */
export function verb(usage: string, description: string): Command {
  return new Command(usage)
    .description(description)
    .addOption(new Option('--url <url>', 'origin of the API, such as http://127.0.0.1:42031'))
    .addOption(new Option('--socket <path>', 'unix socket of the API'))
    .addOption(new Option('--token-file <path>', 'file with the token, of an exposed or guarded service'));
}

/**
 * Returns the words of a command that follow a target, without the `--`, which Commander leaves among them. Throws if they
 * begin with an option, which is one of the verb's own.
 *
 * @param usage - returns the right command line with an option, for the advice in the error
 */
export function commandAfter(words: readonly string[], usage: (option: string) => string): string[] {
  const [first = '', ...others] = words;
  if (first === '--') return others;
  if (!first.startsWith('-')) return [...words];
  const fix = `${usage(first)}; behind -- it is part of the command`;
  throw usageError(`Options come before the target: ${first}`, fix);
}

/** Returns a verb that also works on the terminals of another machine. */
export function remoteVerb(usage: string, description: string): Command {
  return verb(usage, description).addOption(
    new Option('--machine <machine>', 'id or name of a machine of the fleet, whose terminals are meant'),
  );
}

/** Collects the values of an option that may be given several times. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** Parses a time in seconds, which may have a fraction. */
export function secondsOf(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !Number.isFinite(seconds) || seconds < 0)
    throw new InvalidArgumentError('It is a number of seconds, such as 30 or 0.5.');
  return seconds;
}

/** Returns whole milliseconds, which is what the service takes. */
export function msOf(seconds: number): number;
export function msOf(seconds: number | undefined): number | undefined;
export function msOf(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1_000);
}

/** Returns a parser of a time in seconds: at least a millisecond unless `orNone`, and at most so long. */
export function secondsUpTo(most: number, { orNone = false } = {}): (text: string) => number {
  return (text) => {
    const seconds = secondsOf(text);
    const isLong = orNone ? seconds >= 0 : msOf(seconds) > 0;
    if (isLong && seconds <= most) return seconds;
    throw new InvalidArgumentError(`It is a number of seconds${orNone ? '' : ' above 0'}, at most ${most}.`);
  };
}

/** Parses how long to wait for something, in seconds; the service waits for an hour at most. */
export const waitSeconds = secondsUpTo(3_600, { orNone: true });

/** Parses a whole number from 1 on. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('It is a whole number from 1 on, such as 80.');
  return Number(text);
}

/** Parses the verbs that a token allows; the service checks that they exist. */
export function verbsOf(text: string): TokenOptions['verbs'] {
  return text.split(',').map((each) => each.trim()) as TokenOptions['verbs'];
}
