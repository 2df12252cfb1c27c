/** A screen of a drawn agent. The agent shows it when its key is pressed, and begins with the screen of key `i`. */
interface Drawing {
  /** Text of the screen; `%` is a spinner that turns ten times a second. */
  text: string;
  title?: string;
}

export interface DrawnAgent {
  drawings: Record<string, Drawing>;
  /** Whether the agent uses the alternate screen. */
  fullScreen?: boolean;
}

/**
 * Code of a program for Node that draws the screens of an agent, each when its key is pressed, and ends with `q`. It
 * clears the screen before each drawing, as some agents do, so that the screen is empty for a moment.
 */
export function drawnAgent({ drawings, fullScreen = false }: DrawnAgent): string {
  return `
const drawings = ${JSON.stringify(drawings)};
const write = (text) => process.stdout.write(text);
let timer;
function draw({ text, title }) {
  clearInterval(timer);
  let turn = 0;
  if (title) write('\\x1b]0;' + title + '\\x07');
  const paint = () => {
    const spinner = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'[turn++ % 10];
    write('\\x1b[2J\\x1b[H' + text.replace('%', spinner).replaceAll('\\n', '\\r\\n'));
  };
  paint();
  if (text.includes('%')) timer = setInterval(paint, 100);
}
process.stdin.setRawMode(true);
process.stdin.on('data', (keys) => {
  for (const key of String(keys)) {
    if (key === 'q') {
      if (${fullScreen}) write('\\x1b[?1049l');
      process.exit();
    }
    if (drawings[key]) draw(drawings[key]);
  }
});
if (${fullScreen}) write('\\x1b[?1049h');
draw(drawings.i);
`;
}

export const CLAUDE: DrawnAgent = {
  drawings: {
    i: {
      text: '● Done.\n\n────────────────\n❯ \n────────────────\n  ? for shortcuts',
      title: '✳ Claude Code',
    },
    w: {
      text: '● Reading src\n\n✻ Pondering… (4s · esc to interrupt)\n% \n────────────────\n❯ \n────────────────',
      title: '⠐ Mend the build',
    },
    p: {
      text: '  Bash command\n\n    rm -rf dist\n\n  Do you want to proceed?\n  ❯ 1. Yes\n    2. No\n\n  Esc to cancel · Tab to amend',
      title: '✳ Mend the build',
    },
  },
};

export const OPENCODE: DrawnAgent = {
  fullScreen: true,
  drawings: {
    i: {
      text: '  Answer.\n\n\n  ┃\n  ┃  Build  Some Model\n  ╹▀▀▀▀▀▀▀▀▀▀▀\n   26.5K (13%)  ctrl+p commands',
    },
    w: { text: '  ┃\n  ┃  Build  Some Model\n  ╹▀▀▀▀▀▀▀▀▀▀▀\n   ■■■⬝⬝⬝ % esc interrupt   ctrl+p commands' },
    p: {
      text: '  ┃  △ Permission required\n  ┃    # Run the tests\n  ┃\n  ┃   Allow once   Allow always   Reject',
    },
  },
};

export const AIDER: DrawnAgent = {
  drawings: {
    i: { text: 'Aider v0.86\nTokens: 8.6k sent, 59 received.\n────────────\n> ' },
    w: { text: '> fix it\n\n░█% Waiting for some/model' },
    p: { text: "> fix it\nmain.py\nAdd file to the chat? (Y)es/(N)o/(D)on't ask again [Yes]: " },
  },
};

/** Screens of an agent without rules. */
export const PLAIN: DrawnAgent = {
  drawings: {
    i: { text: 'What is next' },
    w: { text: 'Busy %' },
    p: { text: 'Shall I go on? (y/n) ' },
    h: { text: 'The house rule says: ASK ME NOW, please\nand more' },
  },
};
