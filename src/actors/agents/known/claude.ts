import {
  ASKS,
  BOX,
  DIALOG,
  idle,
  inTitle,
  MENU,
  SPINS,
  STOPPABLE,
  TITLE,
  waiting,
  working,
} from '../screen-rule.js';
import type { KnownAgent } from './known-agent.js';

export const claude: KnownAgent = {
  commands: ['claude'],
  scripts: ['@anthropic-ai/claude-code'],
  rules: [
    waiting(3, 'esc to cancel', DIALOG),
    waiting(3, /^[^❯>]{0,60}\benter to (?:confirm|select|continue|retry)\b/i, DIALOG),
    // The menus and the field of its first start have no footer, and its title is that of an idle agent.
    waiting(30, /^(?:Choose the text style|Select login method:)/, MENU),
    waiting(6, /^Paste code here if prompted/, 'it waits for the code of a login'),
    waiting(30, /^❯ \d{1,2}\. (?:Yes|No|Allow|Deny)\b/, ASKS),
    waiting(30, 'No, and tell Claude what to do differently', ASKS),
    inTitle('working', /^[\u2801-\u28ff] /, TITLE),
    working(4, 'esc to interrupt', STOPPABLE),
    working(30, /^[·✢✳✶✻✽*∗] [^…]{1,100}…(?: \(|$)/, SPINS),
    working(30, /\d{1,4}s · [↑↓] [\d.]{1,8}k? tokens/, SPINS),
    inTitle('idle', /^✳ /, TITLE),
    idle(6, /^[❯>](?:\s|$)/, BOX),
  ],
};
