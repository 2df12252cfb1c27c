import type { Logger } from 'pino';
import type { Access } from '../actors/access/access.js';
import type { EventLog } from '../actors/event-log/event-log.js';
import { PROMPT_CODEC } from '../actors/prompts/kept-prompt.js';
import { PromptDelivery, type PromptDeliveryParts } from '../actors/prompts/prompt-delivery.js';
import { type PromptService, Prompts } from '../actors/prompts/prompts.js';
import type { LiveConfig } from '../config/live-config.js';
import { ExecuteBody } from '../contract/execute.js';
import { keystrokesOf } from '../gateway/keystrokes.js';
import { ACTING, type Store } from '../store/store.js';

/** Creates the prompt queue of the store. It does nothing before it is started. */
export function createPrompts({
  store,
  events,
  logger,
}: {
  store: Store;
  events: EventLog;
  logger: Logger;
}): Prompts {
  return new Prompts({ collection: store.collection(ACTING.prompts, PROMPT_CODEC), log: events, logger });
}

export interface PromptParts
  extends Omit<PromptDeliveryParts, 'keystrokes'>,
    Pick<PromptService, 'labelsOf'> {
  config: LiveConfig;
  access: Access;
}

/** Returns how queued prompts are typed, and by whom. */
export function promptService({ config, access, labelsOf, ...parts }: PromptParts): PromptService {
  const keystrokes: PromptDeliveryParts['keystrokes'] = (prompt, into, { cliType, bracketed }) => {
    const type = into === 'shell' ? 'default' : (cliType ?? undefined);
    const body = ExecuteBody.parse({ prompt, cliType: type, useBracketedPaste: bracketed });
    return keystrokesOf(body, config.current.cliTypes);
  };
  return {
    terminals: parts.terminals,
    labelsOf,
    delivery: new PromptDelivery({ ...parts, keystrokes }),
    checkCliType: (cliType) => void keystrokes('x', 'agent', { cliType, bracketed: true }),
    mayType: ({ token }, terminalId) => access.refusal('type', token, terminalId) === undefined,
  };
}
