import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Context } from '../context.js';
import { verb } from '../verb.js';

/** Milliseconds that a completion waits for the service: the shell is blocked meanwhile. */
const PATIENCE_MS = 300;

const NAME = 'auto-terminal';

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_auto_terminal() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    [ -n "$word" ] && COMPREPLY+=("$(printf '%q' "$word")")
  done < <(${NAME} completion words "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _auto_terminal ${NAME}
`,
  zsh: `#compdef ${NAME}
_auto_terminal() {
  local -a words_found
  words_found=("\${(@f)$(${NAME} completion words "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a words_found
}
compdef _auto_terminal ${NAME}
`,
  fish: `complete -c ${NAME} -f -a '(${NAME} completion words (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};

/** `auto-terminal completion`: what a shell needs to complete verbs, options, ids and names. */
export function completion(context: Context, program: Command): Command {
  return verb('completion', 'Print the completion script of a shell: source <(auto-terminal completion bash)')
    .argument('<shell>', Object.keys(SCRIPTS).join(', '))
    .argument('[words...]')
    .passThroughOptions()
    .action(async (shell: string, words: string[]) => {
      if (shell === 'words') {
        await context.write(`${(await matching(context, program, words)).join('\n')}\n`);
        return;
      }
      const script = SCRIPTS[shell];
      if (script === undefined)
        throw new InvalidArgumentError(`It is one of ${Object.keys(SCRIPTS).join(', ')}.`);
      await context.write(script);
    });
}

/** Returns the completions of the last word. */
async function matching(context: Context, program: Command, words: readonly string[]): Promise<string[]> {
  // bash passes a word as it was typed, with its backslashes.
  const last = (words.at(-1) ?? '').replace(/\\(.)/g, '$1');
  let command = program;
  for (const word of words.slice(0, -1)) {
    const inner = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (inner) command = inner;
  }
  const possible = last.startsWith('-')
    ? command.options.flatMap(({ long }) => long ?? [])
    : [
        ...command.commands.map((child) => child.name()),
        ...(takesTarget(command) ? await targets(context) : []),
      ];
  return possible.filter((text) => text.startsWith(last));
}

function takesTarget(command: Command): boolean {
  return command.registeredArguments.some((argument) => argument.name().startsWith('target'));
}

/** Returns ids and names of the terminals; none if the service does not answer in time. */
async function targets(context: Context): Promise<string[]> {
  try {
    const listed = await context.client({}).terminals.list({ signal: AbortSignal.timeout(PATIENCE_MS) });
    return ['me', ...listed.flatMap(({ id, name }) => (/[\r\n]/.test(name) ? [id] : [id, name]))];
  } catch {
    // A completion cannot report an error.
    return [];
  }
}
