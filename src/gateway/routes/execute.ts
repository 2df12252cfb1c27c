import type { Config } from '../../config/settings.js';
import { ExecuteAnswer, ExecuteBody } from '../../contract/execute.js';
import { failures } from '../failures.js';
import { IdempotencyHeaders } from '../idempotency.js';
import { keystrokesOf } from '../keystrokes.js';
import { originOf } from '../origin.js';
import type { TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

/** `POST /api/terminals/:id/execute` and its alias `/prompt`: type a prompt and submit it. */
export function registerExecute(
  app: App,
  terminals: TerminalsPort,
  cliTypes: () => Config['cliTypes'],
): void {
  const schema = {
    summary: 'Type a prompt and submit it',
    description:
      'Types it as a bracketed paste, so that line feeds within submit nothing, then the keys that submit it. Answers at once, without waiting for what comes of it. `/prompt` is an alias of `/execute`.',
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
        'idempotency-key-reused',
        'input-buffer-full',
      ),
    },
  };
  for (const path of ['/api/terminals/:id/execute', '/api/terminals/:id/prompt']) {
    app.post(path, { schema }, async (request) => {
      const { params, body } = request;
      await terminals.type(params.id, keystrokesOf(body, cliTypes()), originOf(request));
      return { success: true as const, prompt: body.prompt, cliType: body.cliType };
    });
  }
}
