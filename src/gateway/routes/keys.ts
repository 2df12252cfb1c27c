import { encodeKeys } from '../../actors/keys/encode-keys.js';
import { Ok } from '../../contract/answers.js';
import { KeysBody } from '../../contract/keys.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import { gateFailures } from '../gate-failures.js';
import { IdempotencyHeaders, type IdempotencyKeys } from '../idempotency.js';
import type { LongPolls } from '../long-polls.js';
import { originOf } from '../origin.js';
import type { ScreensPort, TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';
import type { Writers } from '../writers.js';
import { IdParams } from './params.js';

const DESCRIPTION = `Types the bytes that a terminal sends for each key, all in one write.

- A character stands for itself: \`a\`, \`A\`, \`/\`, \`é\`, \`+\`.
- Names: \`enter\` (\`return\`), \`tab\`, \`escape\` (\`esc\`), \`space\`, \`backspace\`, \`delete\`, \`insert\`, \`home\`, \`end\`,
  \`pageup\`, \`pagedown\`, \`up\`, \`down\`, \`left\`, \`right\`, \`f1\` to \`f24\`, in any case.
- Modifiers before a character or a name, in any order: \`ctrl+\`, \`alt+\` (\`meta+\`), \`shift+\`. Ctrl goes with letters,
  \`space\`, \`2\` to \`8\` and \`\`@ [ \\ ] ^ _ ? / \` { | } ~\`\`. Shift goes with letters and named keys; for any other
  character, write the character that shift produces.

Cursor keys are encoded for the mode that the program has set in the terminal.`;

export interface KeysOptions {
  terminals: Pick<TerminalsPort, 'type'>;
  screens: Pick<ScreensPort, 'place'>;
  keys: IdempotencyKeys;
  writers: Writers;
  polls: LongPolls;
}

/** `POST /api/terminals/:id/keys`: presses keys by their names. */
export function registerKeys(app: App, { terminals, screens, keys, writers, polls }: KeysOptions): void {
  app.post(
    '/api/terminals/:id/keys',
    {
      config: needs('type', 'terminal'),
      schema: {
        summary: 'Press keys by name',
        description: DESCRIPTION,
        tags: ['Input and output'],
        params: IdParams,
        headers: IdempotencyHeaders,
        body: KeysBody,
        response: {
          200: Ok,
          ...failures('unknown-key', 'terminal-not-found', 'key-reused', 'input-buffer-full'),
          ...failures('outcome-unknown'),
          ...gateFailures,
        },
      },
    },
    async (request, reply) => {
      const { params, body } = request;
      const { normal, application } = encodeKeys(body.keys);
      // Most keys have the same bytes in both modes, and then the terminal's mode need not be read.
      const isApplication =
        normal !== application && (await screens.place(params.id)).modes.applicationCursor;
      const data = isApplication ? application : normal;
      return writers.through({ polls, keys }, [request, reply], body, async (ask) => {
        const { once } = await keys.begin(request, () => ({}));
        await terminals.type(params.id, [{ data }], originOf(request), { once, ask });
        return { status: 'ok' as const };
      });
    },
  );
}
