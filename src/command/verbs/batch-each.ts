import type { Command } from 'commander';
import type { Context } from '../context.js';
import { inEach } from '../each.js';
import { type GateFlags, withGate } from '../gate-options.js';
import { type ManyOptions, manyOf, withMany } from '../many.js';
import { verb } from '../verb.js';
import { closeEach, labelsOfWords } from './close.js';
import { pressed, prompted, type SendOptions, typed } from './send.js';

/** `auto-terminal batch send`: types the same text into many terminals. */
export function batchSend(context: Context): Command {
  return withGate(withMany(verb('send', 'Type text into many terminals')))
    .argument('[text]', 'text to type; "-" or none reads standard input')
    .option('--enter', 'press Enter after the text')
    .option('--paste', 'paste the text, for programs that tell typing from pasting')
    .action(async (text = '-', options: ManyOptions & SendOptions) =>
      typed(context, options, await manyOf(context, options), text),
    );
}

/** `auto-terminal batch prompt`: gives the same prompt to the programs in many terminals. */
export function batchPrompt(context: Context): Command {
  return withGate(
    withMany(verb('prompt', 'Paste a prompt for the programs in many terminals, and submit it')),
  )
    .argument('[text]', 'the prompt; "-" or none reads standard input')
    .option('--type <cli-type>', 'how the programs take a prompt: agent_a, default (a shell), ...')
    .action(async (text = '-', options: ManyOptions & SendOptions) =>
      prompted(context, options, await manyOf(context, options), text),
    );
}

/** `auto-terminal batch keys`: presses the same keys in many terminals. */
export function batchKeys(context: Context): Command {
  return withGate(withMany(verb('keys', 'Press keys by their names, in many terminals')))
    .argument('<keys...>', 'such as enter, up, ctrl+c, alt+x, f5')
    .action(async (names: string[], options: ManyOptions & GateFlags) =>
      pressed(context, options, await manyOf(context, options), names),
    );
}

/** `auto-terminal batch label`: labels many terminals. */
export function batchLabel(context: Context): Command {
  return withMany(verb('label', 'Set labels of many terminals: name=value; "name-" removes a label'))
    .argument('<labels...>')
    .action(async (words: string[], options: ManyOptions) => {
      const labels = labelsOfWords(words);
      const { terminals } = context.client(options);
      await inEach(context, await manyOf(context, options), 'labelled', (id) =>
        terminals.get(id).update({ labels }, { signal: context.signal }),
      );
    });
}

/** `auto-terminal batch close`: closes many terminals. */
export function batchClose(context: Context): Command {
  return withMany(verb('close', 'Close many terminals, with everything that runs in them')).action(
    async (options: ManyOptions) => closeEach(context, options, await manyOf(context, options)),
  );
}
