import { atCursor, idle, inTitle, type ScreenRule, waiting, working } from './screen-rule.js';

const ASKS = 'it asks for permission';
const MENU = 'a menu is open';
const DIALOG = 'a dialog is open';
const STOPPABLE = 'it shows how to interrupt it';
const SPINS = 'its spinner is visible';
const TITLE = 'its title says so';
const BOX = 'its input box is visible';
const PROMPT = 'its prompt is visible';

/** Forks of one program show the same prompts. */
const GEMINI_ASKS = [
  waiting(16, 'Waiting for user confirmation', ASKS),
  waiting(16, 'Apply this change?', ASKS),
  waiting(16, /^Allow execution of\b/i, ASKS),
  waiting(16, /^[●›❯] \d{1,2}\. (?:Yes|No|Allow|Trust|Don't trust|Modify)\b/, ASKS),
  waiting(3, /enter to (?:select|submit|confirm).{0,60}esc to cancel/i, DIALOG),
];
const OPENCODE = [
  waiting(30, /△\s{1,2}(?:Permission required|Always allow)/, ASKS),
  waiting(6, /enter (?:confirm|submit|toggle).{0,60}esc dismiss/i, DIALOG),
  working(3, /\besc (?:again to )?interrupt\b/i, STOPPABLE),
  idle(6, 'ctrl+p commands', BOX),
  idle(16, 'Ask anything...', BOX),
];
const ANSWERED_BY_LETTER = [
  // The question is two rows above the prompt until somebody answers it, and further up afterwards.
  atCursor('waiting', 3, '[y/n/t]:', ASKS),
  working(1, /^[\u2801-\u28ff] Thinking\.\.\./, SPINS),
];

/**
 * Signs on the screens of agents, by label, as their makers draw them; found in their sources and in captures of their
 * screens. The first rule of an agent that holds decides, so rules for `waiting` come before those for `working`, and
 * these before those for `idle`. Another agent needs another entry here, or in the setting `agents`.
 */
export const AGENT_RULES: Readonly<Record<string, readonly ScreenRule[]>> = {
  claude: [
    waiting(3, 'esc to cancel', DIALOG),
    waiting(30, /^❯ \d{1,2}\. (?:Yes|No|Allow|Deny)\b/, ASKS),
    waiting(30, 'No, and tell Claude what to do differently', ASKS),
    inTitle('working', /^[\u2801-\u28ff] /, TITLE),
    working(4, 'esc to interrupt', STOPPABLE),
    working(30, /^[·✢✳✶✻✽*∗] [^…]{1,100}…(?: \(|$)/, SPINS),
    working(30, /\d{1,4}s · [↑↓] [\d.]{1,8}k? tokens/, SPINS),
    inTitle('idle', /^✳ /, TITLE),
    idle(6, /^[❯>](?:\s|$)/, BOX),
  ],
  codex: [
    inTitle('waiting', 'Action Required', TITLE),
    waiting(3, 'enter to confirm or esc to cancel', DIALOG),
    waiting(3, /enter to submit (?:answer|all)\b/i, 'it asks a question'),
    waiting(3, 'press enter to continue', DIALOG),
    waiting(30, /^Would you like to (?:run the following|make the following|grant these)\b/i, ASKS),
    waiting(16, 'Do you want to approve', ASKS),
    waiting(12, 'Allow command?', ASKS),
    inTitle('working', /(?:^| )[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏](?: |$)/, TITLE),
    working(16, '(*to interrupt)', STOPPABLE),
    idle(6, /^›(?:\s|$)/, BOX),
    idle(3, /\d{1,3}% (?:context )?left/i, BOX),
  ],
  gemini: [
    inTitle('waiting', 'Action Required', TITLE),
    ...GEMINI_ASKS,
    inTitle('working', /^[✦⏲]/u, TITLE),
    working(8, '(*esc to cancel*)', STOPPABLE),
    inTitle('idle', /^◇/, TITLE),
    idle(8, 'Type your message or @path/to/file', BOX),
    idle(6, /^[>!](?:\s|$)/, BOX),
  ],
  qwen: [
    ...GEMINI_ASKS,
    working(8, '(*esc to cancel*)', STOPPABLE),
    idle(8, 'Type your message or @path/to/file', BOX),
    idle(6, /^[>!](?:\s|$)/, BOX),
  ],
  copilot: [
    waiting(4, 'Confirm with number keys', DIALOG),
    waiting(4, /enter (?:to )?(?:select|confirm|submit|accept).{0,60}esc\b/i, DIALOG),
    waiting(20, /^❯ \d{1,2}\. (?:Yes|No)\b/, ASKS),
    waiting(16, /^Do you (?:want to|trust) /, ASKS),
    working(12, '(esc to cancel', STOPPABLE),
    working(5, /\besc (?:again )?(?:to )?(?:cancel|interrupt)\b/i, STOPPABLE),
    idle(8, '@ to mention files', BOX),
    idle(6, /^[❯>](?:\s|$)/, BOX),
  ],
  opencode: OPENCODE,
  kilo: OPENCODE,
  amp: [
    inTitle('waiting', 'confirmation needed', TITLE),
    waiting(30, /^(?:Waiting for approval|Run this command\?|Invoke tool\b|Confirm tool call\b)/i, ASKS),
    waiting(30, /^Allow (?:editing|creating) file:/i, ASKS),
    waiting(16, /\b(?:Allow All for (?:This|Every) Session|Deny with feedback)\b/i, ASKS),
    inTitle('working', /^[\u2801-\u28ff] /, TITLE),
    working(6, /^╰ \S{0,3} ?(?:Thinking|Streaming|Running tools|Waiting)\b/i, SPINS),
    working(8, 'esc to cancel', STOPPABLE),
    inTitle('idle', ' - amp', TITLE),
    idle(8, /^╭─/, BOX),
  ],
  cursor: [
    waiting(16, /\(y\) \(enter\)|\((?:esc or [np])\)|\bKeep \(n\)/i, ASKS),
    waiting(16, /^(?:Run this command|Write to this file)\?/i, ASKS),
    waiting(16, /^Do you trust the (?:files|contents)\b/i, ASKS),
    working(8, 'ctrl+c to stop', STOPPABLE),
    working(12, /^[⬡⬢\u2801-\u28ff]{1,3}\s{1,2}\p{L}{1,30}ing\b/u, SPINS),
    idle(10, /^→(?:\s|$)/, BOX),
  ],
  aider: [
    atCursor('waiting', 1, /\(Y\)es\/\(N\)o|\[(?:Yes|No)\]:/, 'it asks yes or no'),
    working(2, /^(?:[░█]{2}|[=#]{2}) {1,12}\S/, SPINS),
    atCursor('idle', 1, /^(?:[a-z]{1,12} ?){0,2}>/, PROMPT),
  ],
  goose: [
    waiting(14, /^◆ /, MENU),
    working(2, /^[◒◐◓◑] /, SPINS),
    working(2, '(ctrl+c to interrupt)', STOPPABLE),
    atCursor('idle', 1, /^\( ?O\)>/, PROMPT),
  ],
  crush: [
    waiting(30, 'Allow for Session', ASKS),
    working(2, /^esc (?:cancel|press again to cancel|clear queue)\b/, STOPPABLE),
    idle(2, 'ctrl+p commands', BOX),
  ],
  droid: [
    waiting(16, /^> (?:Yes, allow|No, cancel)\b/i, ASKS),
    waiting(4, /enter (?:to )?select.{0,60}esc (?:to )?cancel/i, DIALOG),
    working(8, 'esc to stop', STOPPABLE),
  ],
  kiro: [
    waiting(12, /\b(?:Yes, single permission|Trust, always allow|Approve all pending)\b/i, ASKS),
    waiting(1, /\besc to cancel\b.{0,60}↵ to select/i, DIALOG),
    ...ANSWERED_BY_LETTER,
    working(4, 'Kiro is working', 'it says so'),
    idle(4, /ask a question,? or describe a task/i, BOX),
    atCursor('idle', 1, /^\[[^\]]{1,60}\] ?(?:\d{1,3}% ?)?(?:λ ?)?>/, PROMPT),
  ],
  q: [...ANSWERED_BY_LETTER, atCursor('idle', 1, /^(?:\[[^\]]{1,60}\] ?)?!?>/, PROMPT)],
  auggie: [working(8, '(*esc to interrupt)', STOPPABLE), idle(6, /^›(?:\s|$)/, BOX)],
  cline: [
    waiting(12, 'Let Cline use this tool', ASKS),
    waiting(8, /^(?:Execute command|Use this tool)\?/i, ASKS),
    idle(8, 'Cline is ready for your message', PROMPT),
  ],
  kimi: [
    waiting(30, 'is requesting approval to', ASKS),
    waiting(4, /select .{0,40}↵ (?:confirm|submit|choose|toggle)/, MENU),
    working(10, /^[\u2801-\u28ff]{1,2} ?(?:Thinking|Working|Using|Composing)\b/i, SPINS),
    working(10, /^[🌑🌒🌓🌔🌕🌖🌗🌘](?:\s|$)/u, SPINS),
    atCursor('idle', 1, /[✨💫](?:\s|$)/u, PROMPT),
  ],
  vibe: [
    waiting(4, /navigate\s{1,3}enter (?:select|toggle)/i, MENU),
    waiting(12, /^› \d\. (?:Allow|Always allow|Deny)\b/, ASKS),
    working(12, /\besc(?:\/ctrl\+c)? to interrupt\b/i, STOPPABLE),
  ],
  pi: [working(10, /^[\u2801-\u28ff] Working\.\.\./, SPINS)],
};

/** Signs that mean the same for every agent; they come after an agent's own. */
export const ANY_AGENT_RULES: readonly ScreenRule[] = [
  atCursor('waiting', 2, /[([](?:y\/n|yes\/no)(?:\/[^)\]]{1,20})?[)\]]/i, 'it asks yes or no'),
  waiting(3, 'press enter to continue', DIALOG),
  waiting(3, /enter to (?:select|confirm|submit).{0,60}esc to (?:cancel|exit)/i, DIALOG),
  waiting(14, /^[❯›●>] 1\. (?:Yes|Allow)\b/, ASKS),
  working(8, /\([^()]{0,80}\b(?:esc|ctrl[+ -]c) (?:again )?to (?:interrupt|cancel)\b/i, STOPPABLE),
  working(4, /^[\u2801-\u28ff]{1,2} \S/, SPINS),
];
