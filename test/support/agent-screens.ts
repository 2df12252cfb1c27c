import type { AgentStatus } from '#dist/contract/wait.js';
import { AGENT_MENUS } from './agent-menus.js';

/** An agent's screen, and the status that it shows. The cursor is on the last non-empty row. */
export interface AgentScreen {
  agent: string;
  status: AgentStatus;
  /** Description of the screen. */
  name: string;
  screen: string;
  title?: string;
  /** Rows between the last non-empty row and the cursor. */
  cursorBelow?: number;
}

const CLAUDE_BOX = `
────────────────────────────────────────
❯
────────────────────────────────────────
  ? for shortcuts`;
const GEMINI_BOX = `
╭──────────────────────────────────────────╮
│ >   Type your message or @path/to/file   │
╰──────────────────────────────────────────╯
~/work (main*)      no sandbox      auto`;
const ALLOW_COMMAND = (mark: string) => `
│ Allow execution of [Shell]?              │
│                                          │
│ ${mark} 1. Allow once                          │
│   2. Allow for this session              │
│   3. No, suggest changes (esc)           │
╰──────────────────────────────────────────╯`;
const OPENCODE_BOX = `
  ┃
  ┃  Build  Some Model
  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀`;

const screens: Record<string, Array<[AgentStatus, string, string, Partial<AgentScreen>?]>> = {
  claude: [
    ['working', 'a spinner', `● Reading it\n\n✻ Pondering… (4s · ↓ 88 tokens)\n${CLAUDE_BOX}`],
    [
      'working',
      'the footer',
      `● Reading it${CLAUDE_BOX.replace('? for shortcuts', '⏵⏵ auto · esc to interrupt')}`,
    ],
    ['working', 'a title', `● Reading it${CLAUDE_BOX}`, { title: '⠐ Mend the build' }],
    [
      'waiting',
      'a question',
      ' Bash command\n   rm -rf dist\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend',
    ],
    [
      'waiting',
      'an older question',
      '│ Do you want to proceed? │\n│   1. Yes │\n│ ❯ 2. No, and tell Claude what to do differently (esc) │',
    ],
    ['idle', 'its box', `● Done.\n\n✻ Worked for 12s\n${CLAUDE_BOX}`],
    [
      'idle',
      'its box with text',
      '● Do it?\n╭──────────╮\n│ > add a test │\n╰──────────╯\n  ? for shortcuts',
    ],
    ['idle', 'its box with words of a menu', CLAUDE_BOX.replace('❯', '❯ say: press Enter to continue')],
    ['idle', 'a title', 'a summary', { title: '✳ Mend the build' }],
  ],
  codex: [
    [
      'working',
      'a status line',
      '› fix it\n\n• Working (3s • esc to interrupt)\n\n› \n\n  model · 98% left · ~/work',
    ],
    ['working', 'a title', '› fix it\n\n› ', { title: '⠹ work' }],
    [
      'waiting',
      'a question',
      '  Would you like to run the following command?\n\n  $ make\n\n› 1. Yes, proceed (y)\n  2. No (esc)\n\n  Press enter to confirm or esc to cancel',
    ],
    ['waiting', 'trust', '> You are running Codex in ~\n  1. Allow\n> 2. Ask\n\n  Press Enter to continue'],
    ['waiting', 'a title', '› ', { title: '[ ! ] Action Required | work' }],
    ['idle', 'its box', '• Done.\n\n› Ask Codex to do anything\n\n  model · 98% left · ~/work'],
    [
      'idle',
      'its box with words of a menu',
      '› say: press enter to confirm, or press enter to continue\n\n  model · 98% left · ~/work',
    ],
  ],
  gemini: [
    ['working', 'a spinner', `⠏ Thinking about it (esc to cancel, 5s)\n${GEMINI_BOX}`],
    ['working', 'a title', GEMINI_BOX, { title: '✦  Reading files (work)' }],
    ['waiting', 'a question', ALLOW_COMMAND('●')],
    ['waiting', 'a title', GEMINI_BOX, { title: '✋  Action Required (work)' }],
    ['idle', 'its box', GEMINI_BOX],
    ['idle', 'a title', 'a summary', { title: '◇  Ready (work)' }],
  ],
  qwen: [
    ['working', 'a spinner', `⠏ Thinking (12s · esc to cancel)\n${GEMINI_BOX}`],
    ['waiting', 'a question', ALLOW_COMMAND('›')],
    ['idle', 'its box', GEMINI_BOX],
  ],
  copilot: [
    [
      'working',
      'a spinner',
      ' ◉ Thinking (Esc to cancel)\n ╭─────╮\n │ >  Enter @ to mention files │\n ╰─────╯\n Ctrl+c Exit',
    ],
    [
      'waiting',
      'a question',
      ' │ Do you want to run this command? │\n │ ❯ 1. Yes │\n │   2. No (Esc) │\n │ Confirm with number keys or ↑↓ keys and Enter, Cancel with Esc │\n ╰────╯',
    ],
    [
      'idle',
      'its box',
      ' ╭─────╮\n │ >  Enter @ to mention files or / for commands │\n ╰─────╯\n Ctrl+c Exit',
    ],
  ],
  opencode: [
    ['working', 'the footer', `${OPENCODE_BOX}\n   ■■■⬝⬝⬝⬝⬝  esc interrupt      tab agents  ctrl+p commands`],
    [
      'waiting',
      'a question',
      '  ┃  △ Permission required\n  ┃    $ make\n  ┃\n  ┃   Allow once   Allow always   Reject     ⇆ select  enter confirm',
    ],
    ['idle', 'the footer', `${OPENCODE_BOX}\n        26.5K (13%)  ctrl+p commands    • OpenCode`],
  ],
  kilo: [['working', 'the footer', `${OPENCODE_BOX}\n   ⬝⬝⬝⬝  esc interrupt      ctrl+p commands`]],
  amp: [
    ['working', 'a title', '╭─smart─╮\n│ │\n╰─~/work─╯', { title: '⠂ Mend - amp - work' }],
    ['waiting', 'a question', '  Run this command?\n  make\n  Approve\n  Allow All for This Session'],
    ['idle', 'its box', '  Done.\n╭─smart─╮\n│ │\n╰─~/work─╯\n   1% of 983k'],
  ],
  cursor: [
    ['working', 'a spinner', '  ⬡ Thinking.    172 tokens\n ┌────┐\n │ → Add a follow-up │\n └────┘'],
    ['working', 'the box', ' ┌────┐\n │ → Add a follow-up        ctrl+c to stop │\n └────┘\n  Model'],
    [
      'waiting',
      'a question',
      ' │ Run this command? │\n │  → Run (y) (enter) │\n │    Reject (esc or p) │\n └────┘',
    ],
    ['idle', 'its box', ' ┌────┐\n │ → Add a follow-up │\n └────┘\n  Model'],
  ],
  aider: [
    ['working', 'a spinner', '> fix it\n\n ░█       Waiting for some/model'],
    ['waiting', 'a question', "main.py\nAdd file to the chat? (Y)es/(N)o/(D)on't ask again [Yes]:"],
    ['idle', 'an answered question', 'Add file to the chat? (Y)es/(N)o [Yes]: y\n────\narchitect>'],
    ['idle', 'its prompt', 'Tokens: 8.6k sent\n────────────────\n> '],
  ],
  goose: [
    ['working', 'a spinner', '( O)> fix it\n◒  Herding bits...  (Ctrl+C to interrupt)'],
    [
      'waiting',
      'a question',
      '◆  Goose would like to call the above tool, do you allow?\n│  ● Allow\n│  ○ Deny\n└',
    ],
    [
      'idle',
      'an answered question',
      '◇  Goose would like to call the above tool, do you allow?\n│  Allow\n│\nDone.\n( O)>',
    ],
  ],
  crush: [
    [
      'working',
      'the footer',
      '::: Working...\n\n esc cancel • tab focus chat • ctrl+p commands • ctrl+c quit',
    ],
    [
      'waiting',
      'a question',
      '│ Permission Required │\n│ Allow   Allow for Session   Deny │\n│ ←/→ choose • enter confirm │',
    ],
    [
      'idle',
      'the footer',
      ' > Ready for instructions\n\n tab focus chat • / or ctrl+p commands • ctrl+c quit',
    ],
  ],
  droid: [
    ['working', 'a spinner', '⠹ Thinking... (Press ESC to stop)\n╭───╮\n│ > │\n╰───╯'],
    [
      'waiting',
      'a menu',
      '│ > Yes, allow │\n│   No, cancel │\n Use ↑↓ to navigate, Enter to select, Esc to cancel',
    ],
  ],
  kiro: [
    ['working', 'words', 'developer · auto · ◔ 3%\n\n Kiro is working'],
    [
      'waiting',
      'a menu',
      ' shell requires approval\n ❯ Yes, single permission\n   Trust, always allow\n   No (tab to edit)',
    ],
    ['idle', 'its box', 'developer · auto · ◔ 3%\n\n Ask a question or describe a task ↵'],
    ['idle', 'its older prompt', '> Done.\n\n[developer] 16% λ >'],
  ],
  q: [
    ['working', 'a spinner', '> how many?\n\n⠋ Thinking...'],
    ['waiting', 'a question', "Allow this action? Use 't' to trust this tool. [y/n/t]:\n\n> "],
    ['working', 'an answered question', '[y/n/t]:\n\n> y\n\n⠋ Thinking...'],
    ['idle', 'its prompt', 'There are 8.\n\n> '],
  ],
  auggie: [
    [
      'working',
      'a spinner',
      ' ⠞ Processing response... (2s • esc to interrupt)\n╭──╮\n│ › Try it │\n╰──╯\n Esc/Ctrl+C to interrupt',
    ],
    ['idle', 'its box', '╭──╮\n│ › Try it │\n╰──╯\n Type / for commands • Esc/Ctrl+C to interrupt'],
  ],
  cline: [
    ['waiting', 'a question', '┃ [act mode] Let Cline use this tool?\n┃ > Yes\n┃   No'],
    ['idle', 'its prompt', '┃ [act mode] Cline is ready for your message...\n┃ Type here'],
  ],
  kimi: [
    ['working', 'a spinner', '• Reading\n⠸ Using Shell (make)'],
    [
      'waiting',
      'a question',
      '│ shell is requesting approval to run: │\n│ → [1] Approve once │\n│   ▲/▼ select  1/2/3/4 choose  ↵ confirm │\n╰──╯',
    ],
    ['idle', 'its prompt', '• Done.\nuser@work💫'],
  ],
  vibe: [
    ['working', 'a spinner', '⠹ Generating… (4s Esc/Ctrl+C to interrupt)\n╭──╮\n│ > │\n╰──╯'],
    ['waiting', 'a menu', '› 1. Allow once\n  2. Always allow\n↑↓/jk navigate  Enter select  Esc reject'],
  ],
  pi: [['working', 'a spinner', ' ⠹ Working...\n────\n\n────\n~/work']],
  gptme: [
    ['waiting', 'yes or no', '```shell\nmake\n```\nExecute code? [Y/n]'],
    ['working', 'a spinner', 'User: fix it\n⠙ Reading the code'],
  ],
};

export const AGENT_SCREENS: readonly AgentScreen[] = [
  ...Object.entries(screens).flatMap(([agent, list]) =>
    list.map(([status, name, screen, rest]) => ({ agent, status, name, screen, ...rest })),
  ),
  ...AGENT_MENUS.map(([agent, name, screen]) => ({ agent, status: 'waiting' as const, name, screen })),
];
