import type { TmuxControl } from '../peers/tmux-control.js';

/** Creates windows that run shell commands. Resolves with the ids of their panes. */
export async function openWindows(control: TmuxControl, commands: readonly string[]): Promise<string[]> {
  // An explicit name keeps tmux from renaming each window after its program again and again.
  const answers = await control.run(
    commands.map((command, index) => `new-window -d -P -F '#{pane_id}' -n w${index} ${quote(command)}`),
  );
  return answers.map(([pane]) => pane!);
}

/** Quotes a command as one word for tmux. */
function quote(command: string): string {
  return `"${command.replace(/[\\"$]/g, '\\$&')}"`;
}
