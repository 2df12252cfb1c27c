import type { TmuxControl } from '../peers/tmux-control.js';

/** Creates windows that run the commands (of a shell); gives the ids of their panes. */
export async function openWindows(control: TmuxControl, commands: readonly string[]): Promise<string[]> {
  // A name of its own keeps tmux from renaming each window after its program again and again.
  const answers = await control.run(
    commands.map((command, index) => `new-window -d -P -F '#{pane_id}' -n w${index} ${quote(command)}`),
  );
  return answers.map(([pane]) => pane!);
}

/** As one word of tmux's language. */
function quote(command: string): string {
  return `"${command.replace(/[\\"$]/g, '\\$&')}"`;
}
