import type { Config } from '../../config/settings.js';
import { ExecuteAnswer, ExecuteBody } from '../../contract/execute.js';
import { EXECUTE_CURSOR_MS } from '../../contract/limits.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import { gateFailures } from '../gate-failures.js';
import { IdempotencyHeaders, type IdempotencyKeys } from '../idempotency.js';
import { keystrokesOf } from '../keystrokes.js';
import type { LongPolls } from '../long-polls.js';
import { originOf } from '../origin.js';
import type { ScreensPort, TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';
import type { Writers } from '../writers.js';
import { IdParams } from './params.js';

export interface ExecuteOptions {
  terminals: Pick<TerminalsPort, 'type'>;
  screens: Pick<ScreensPort, 'cursor'>;
  cliTypes: () => Config['cliTypes'];
  keys: IdempotencyKeys;
  writers: Writers;
  polls: LongPolls;
}

/** `POST /api/terminals/:id/execute` and its alias `/prompt`: types a prompt and submits it. */
export function registerExecute(
  app: App,
  { terminals, screens, cliTypes, keys, writers, polls }: ExecuteOptions,
): void {
  const schema = {
    summary: 'Type a prompt and submit it',
    description:
      'Types the prompt as a bracketed paste, so that its line feeds submit nothing, then types the keys ' +
      'that submit it. Answers at once, without waiting for any effect. A wait whose `since` is the ' +
      '`cursor` of this answer misses nothing. `/prompt` is an alias of `/execute`.',
    tags: ['Execute'],
    params: IdParams,
    headers: IdempotencyHeaders,
    body: ExecuteBody,
    response: {
      200: ExecuteAnswer,
      ...failures(
        'prompt-empty',
        'unknown-cli-type',
        'custom-pattern-missing',
        'terminal-not-found',
        'key-reused',
        'input-buffer-full',
        'outcome-unknown',
      ),
      ...gateFailures,
    },
  };
  for (const path of ['/api/terminals/:id/execute', '/api/terminals/:id/prompt']) {
    app.post(path, { config: needs('type', 'terminal'), schema }, async (request, reply) => {
      const { params, body } = request;
      const keystrokes = keystrokesOf(body, cliTypes());
      const cursorNow = async () => ({ cursor: await screens.cursor(params.id, EXECUTE_CURSOR_MS) });
      return writers.through({ polls, keys }, [request, reply], body, async (ask) => {
        const { once, plan } = await keys.begin(request, cursorNow);
        await terminals.type(params.id, keystrokes, originOf(request), { once, ask });
        return { success: true as const, prompt: body.prompt, cliType: body.cliType, cursor: plan.cursor };
      });
    });
  }
}
