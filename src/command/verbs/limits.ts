import type { Command } from 'commander';
import type { LimitsAnswer } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { ageOf, type FormatOptions, OUTPUT, printFacts } from '../format.js';
import { verb } from '../verb.js';

type Waiting = LimitsAnswer['queue']['waiting'][number];

/** Most waiting creations that are shown; `-o json` has them all. */
const SHOWN = 20;

/** `auto-terminal limits`: the limits of new terminals, their use, and the creations in line. */
export function limits(context: Context): Command {
  return verb('limits', 'Show the limits of new terminals, what is in use of each, and who waits in line')
    .addOption(OUTPUT)
    .action(async (options: CommonOptions & FormatOptions) => {
      const answer = await context.client(options).terminals.limits({ signal: context.signal });
      await printFacts(context, factsOf(answer), answer, options);
    });
}

function factsOf({ terminals, perLabel, memory, unknown, queue, refused }: LimitsAnswer) {
  const { running, starting, max } = terminals;
  const known = (key: string, text: string) =>
    unknown.includes(key) ? 'unknown here, so nothing is refused' : text;
  return {
    terminals: `${running} running, ${starting} starting, of ${max ?? 'any number'}`,
    ...Object.fromEntries(perLabel.map((each) => [each.selector, `${each.terminals} of ${each.max}`])),
    'available memory': known(
      'minAvailableMemory',
      sizeOf(memory.availableBytes) + atLeast(memory.minAvailable),
    ),
    'memory pressure': known('maxMemoryPressure', percentOf(memory.pressure) + atMost(memory.maxPressure)),
    waiting: `${queue.length} of at most ${queue.max}`,
    ...Object.fromEntries(queue.waiting.slice(0, SHOWN).map((each) => [`  ${each.position}`, lineOf(each)])),
    ...(queue.length > SHOWN && { '  ...': 'more are in -o json' }),
    refused: `${refused} since the start of the service`,
  };
}

function lineOf({ name, terminalId, labels, mode, caller, priority, since, obstacle }: Waiting): string {
  const pairs = Object.entries(labels).map((pair) => pair.join('='));
  const by = caller?.terminalId == null ? mode : `${mode}, from ${caller.terminalId}`;
  const reason = obstacle.selector ?? obstacle.limit;
  return [
    name ?? terminalId,
    ...pairs,
    `priority ${priority}`,
    `since ${ageOf(since)}`,
    `for ${reason}`,
    `by ${by}`,
  ].join('  ');
}

const sizeOf = (bytes: number | null) => (bytes === null ? 'unknown' : `${Math.floor(bytes / 2 ** 20)} MiB`);
const percentOf = (percent: number | null) => (percent === null ? 'unknown' : `${percent} %`);
const atLeast = (bytes: number | null) => (bytes === null ? '' : `, at least ${sizeOf(bytes)}`);
const atMost = (percent: number | null) => (percent === null ? '' : `, at most ${percentOf(percent)}`);
