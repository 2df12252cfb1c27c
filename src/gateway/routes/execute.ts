import type { Config } from '../../config/settings.js';
import { ExecuteBody } from '../../contract/execute.js';
import { keystrokesOf } from '../keystrokes.js';
import type { TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';
import { TerminalParams } from './params.js';

/** `POST /api/terminals/:id/execute` and its alias `/prompt`: type a prompt and submit it. */
export function registerExecute(app: App, terminals: TerminalsPort, cliTypes: Config['cliTypes']): void {
  const schema = { params: TerminalParams, body: ExecuteBody };
  for (const path of ['/api/terminals/:id/execute', '/api/terminals/:id/prompt']) {
    app.post(path, { schema }, async ({ params, body }) => {
      await terminals.type(params.id, keystrokesOf(body, cliTypes), 'api');
      return { success: true, prompt: body.prompt, cliType: body.cliType };
    });
  }
}
