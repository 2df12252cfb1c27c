/** Menus that agents open by themselves, as their makers draw them: the agent, a description, the screen, and the title. */
export const AGENT_MENUS: ReadonlyArray<[agent: string, name: string, screen: string, title?: string]> = [
  [
    'claude',
    'the menu of logins',
    ' Select login method:\n\n ❯ 1. Claude account with subscription · Pro, Max, Team, or Enterprise\n\n' +
      '   2. Anthropic Console account · API usage billing\n\n   3. 3rd-party platform · Amazon Bedrock or Vertex AI',
    '✳ Claude Code',
  ],
  [
    'claude',
    'the menu of styles',
    ' Choose the text style that looks best with your terminal\n To change this later, run /theme\n\n' +
      ' ❯ 1. Dark mode ✔\n   2. Light mode\n\n  1  function greet() {\n  2 - console.log("Hello!");\n  3  }',
    '✳ Claude Code',
  ],
  [
    'claude',
    'the code of a login',
    " Browser didn't open? Use the url below to sign in\n\nhttps://claude.ai/oauth/authorize\n\n Paste code here if prompted >",
    '✳ Claude Code',
  ],
  [
    'claude',
    'a notice',
    ' Security notes:\n\n 1. Claude can make mistakes\n\n Press Enter to continue…',
    '✳ Claude Code',
  ],
  [
    'claude',
    'the menu of models',
    ' Select model\n\n ❯ 1. Default (recommended) ✔\n   2. Sonnet\n   3. Haiku\n\n Enter to confirm · Esc to exit',
    '✳ Mend the build',
  ],
  [
    'codex',
    'the offer of another model near its limits',
    '  Approaching rate limits\n  Switch to another model for lower credit usage?\n\n' +
      '› 1. Switch to another model\n  2. Keep current model\n  3. Keep current model (never show again)\n\n' +
      '  Press enter to confirm or esc to go back',
  ],
  [
    'codex',
    'the same in a later release',
    '  Approaching rate limits\n\n› 1. Switch to another model\n  2. Keep current model\n\n  enter select · esc back',
    'work',
  ],
  [
    'codex',
    'the offer of a new model',
    "  Choose how you'd like Codex to proceed.\n\n› 1. Try new model\n  2. Use existing model\n\n" +
      '  Use ↑/↓ to move, press enter to confirm',
  ],
  [
    'codex',
    'the import of settings',
    '  > External agent config detected\n\n  Selected 3 of 3 item(s).\n    1. Proceed with selected\n' +
      '    2. Skip for now\n  Use ↑/↓ to move, space to toggle, 1/2/3 to choose, a/n for all/none',
  ],
  [
    'codex',
    'the menu of efforts',
    '  Select Model\n\n› 1. first (current)\n  2. second\n\n  Press enter to select reasoning effort, or esc to dismiss.',
  ],
  [
    'gemini',
    'the menu of logins',
    '│ ? Get started │\n│ │\n│ ● 1. Sign in with Google │\n│   2. Use Gemini API Key │\n│   3. Vertex AI │\n│ │\n' +
      '│ (Use Enter to select) │\n│ Terms of Services and Privacy Notice │\n│ https://geminicli.com/docs │\n╰──────╯',
    '◇  Ready (work)',
  ],
  [
    'gemini',
    'a usage limit',
    '│ Usage limit reached for gemini-2.5-pro. │\n│ How would you like to proceed? │\n│ │\n' +
      '│ ● 1. Get AI Credits - Open browser to purchase credits │\n│   2. Stop - Abort request │\n╰──────╯',
    '◇  Ready (work)',
  ],
  [
    'gemini',
    'a loop',
    '│ ?  A potential loop was detected │\n│ │\n│ ● 1. Keep loop detection enabled (esc) │\n' +
      '│   2. Disable loop detection for this session │\n╰──────╯',
  ],
  [
    'gemini',
    'new policies',
    '│ Do you want to accept and load these policies? │\n│   1. Accept and Load │\n│ ● 2. Ignore │\n╰──────╯',
  ],
  [
    'gemini',
    'a restart',
    '│ Gemini CLI needs to be restarted. │\n│ Press R to restart, or Esc to choose another. │\n╰──╯',
  ],
];
