import type { Config } from '../config/settings.js';
import { DomainError } from '../contract/errors.js';
import { type CliType, CUSTOM_CLI_TYPE, type ExecuteBody } from '../contract/execute.js';
import { AGENT_SUBMIT_DELAY_MS } from '../contract/limits.js';
import type { InputPart } from '../contract/terminal.js';

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';

/** What ends a paste, as UTF-16 units: ESC [ 2 0 1 ~, and the same with the one-character CSI of C1. */
const PASTE_ENDS = [PASTE_END, '\x9b201~'].map((text) => [...text].map((char) => char.charCodeAt(0)));
const TILDE = '~'.charCodeAt(0);

/**
 * Removes every paste-end sequence, also those that removing one brings together. One pass over a stack:
 * removing until none is left takes quadratic time, and prompts are up to 8 MiB.
 */
export function stripPasteEnd(text: string): string {
  if (!text.includes('201~')) return text;
  const kept = new Uint16Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    kept[length] = unit;
    length += 1;
    if (unit !== TILDE) continue;
    const end = PASTE_ENDS.find((units) =>
      units.every((each, at) => kept[length - units.length + at] === each),
    );
    length -= end?.length ?? 0;
  }
  return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(kept.subarray(0, length));
}

/** Line feeds become the CR that Enter sends, as in a terminal's paste. */
function lineFeedsToReturns(text: string): string {
  return text.replace(/\r?\n/g, '\r');
}

/** The keys after the prompt, and the pause before them. Throws unknown-cli-type, custom-pattern-missing. */
function submitOf(body: ExecuteBody, cliTypes: Config['cliTypes']): CliType {
  const custom = body.cliType === CUSTOM_CLI_TYPE;
  const known = Object.hasOwn(cliTypes, body.cliType) ? cliTypes[body.cliType] : undefined;
  if (!custom && known === undefined) {
    throw new DomainError('unknown-cli-type', `Unknown CLI type: ${body.cliType}`);
  }
  if (custom && body.customPattern === undefined) throw new DomainError('custom-pattern-missing');
  const pattern = `${body.customPattern?.separator ?? ''}${body.customPattern?.end_indicator ?? ''}`;
  return {
    submit: body.submissionSignal ?? known?.submit ?? pattern,
    submitDelayMs: known?.submitDelayMs ?? AGENT_SUBMIT_DELAY_MS,
  };
}

/**
 * The keystrokes that type a prompt and submit it: the paste, then the submit sequence after its delay.
 * Throws unknown-cli-type and custom-pattern-missing.
 */
export function keystrokesOf(body: ExecuteBody, cliTypes: Config['cliTypes']): InputPart[] {
  const { submit, submitDelayMs } = submitOf(body, cliTypes);
  const lines = lineFeedsToReturns(body.prompt);
  const data = body.useBracketedPaste ? `${PASTE_START}${stripPasteEnd(lines)}${PASTE_END}` : lines;
  return submit === '' ? [{ data }] : [{ data }, { data: submit, delayMs: submitDelayMs }];
}
