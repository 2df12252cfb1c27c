import type { JoinRequest, UseRequest } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';

/** Words for the most common requests of other machines. */
const ACTIONS: ReadonlyArray<[route: RegExp, words: string]> = [
  [/^POST \/api\/(fleet\/execute|terminals\/batch\/run)$/, 'run a command'],
  [/^POST .*\/(input|keys|execute|prompt)$/, 'type'],
  [/^POST .*\/(size|resize|resize-reflow)$/, 'resize a terminal'],
  [/^POST .*\/signal$/, 'send a signal'],
  [/^POST \/api\/terminals$/, 'create a terminal'],
  [/^(DELETE \/api\/terminals\/[^/]+|POST \/api\/fleet\/close)$/, 'close a terminal'],
  [/^POST \/api\/recordings\//, 'record, or export a recording'],
  [/^POST .*\/wait$/, 'wait for a terminal'],
  [/^GET \/api\/recordings/, 'read recordings'],
  [/^(GET|POST) /, 'look at terminals'],
];

/** Returns a request in words; the route itself if there are no words for it. */
function wordsOfAction(action: string): string {
  return ACTIONS.find(([route]) => route.test(action))?.[1] ?? plainLabel(action);
}

// Characters that a screen would hide or reorder; line feeds and tabs count as text.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** Returns text that is to be typed in a form that hides nothing from a person: hidden characters appear as their numbers. */
export function shownText(text: string): string {
  return text.replace(HIDDEN, (character) =>
    character === '\r' ? '⏎' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function titleOfJoin({ deviceName }: JoinRequest): string {
  return `${plainLabel(deviceName)} asks to join the fleet`;
}

export function titleOfUse({ deviceName, action }: UseRequest): string {
  return `${plainLabel(deviceName)} asks to ${wordsOfAction(action)} here`;
}
