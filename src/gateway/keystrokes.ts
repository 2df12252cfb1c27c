import { typedText } from '../actors/paste.js';
import type { Config } from '../config/settings.js';
import { DomainError } from '../contract/errors.js';
import { type CliType, CUSTOM_CLI_TYPE, type ExecuteBody } from '../contract/execute.js';
import { AGENT_SUBMIT_DELAY_MS } from '../contract/limits.js';
import type { InputPart } from '../contract/terminal.js';

/** Returns the keys after the prompt and the pause before them. Throws unknown-cli-type, custom-pattern-missing. */
function submitOf(body: ExecuteBody, cliTypes: Config['cliTypes']): CliType {
  const custom = body.cliType === CUSTOM_CLI_TYPE;
  const known = Object.hasOwn(cliTypes, body.cliType) ? cliTypes[body.cliType] : undefined;
  if (!custom && known === undefined) {
    throw new DomainError('unknown-cli-type', `Unknown CLI type: ${body.cliType}`, {
      fix: `Use one of ${Object.keys(cliTypes).join(', ')}, or ${CUSTOM_CLI_TYPE} with customPattern; the setting cliTypes adds others`,
    });
  }
  if (custom && body.customPattern === undefined) throw new DomainError('custom-pattern-missing');
  const pattern = `${body.customPattern?.separator ?? ''}${body.customPattern?.end_indicator ?? ''}`;
  return {
    submit: body.submissionSignal ?? known?.submit ?? pattern,
    submitDelayMs: known?.submitDelayMs ?? AGENT_SUBMIT_DELAY_MS,
  };
}

/**
 * Returns the keystrokes that type a prompt and submit it: the paste, then the submit sequence after its delay. Throws
 * unknown-cli-type and custom-pattern-missing.
 */
export function keystrokesOf(body: ExecuteBody, cliTypes: Config['cliTypes']): InputPart[] {
  const { submit, submitDelayMs } = submitOf(body, cliTypes);
  const data = typedText(body.prompt, { bracketed: body.useBracketedPaste });
  return submit === '' ? [{ data }] : [{ data }, { data: submit, delayMs: submitDelayMs }];
}
