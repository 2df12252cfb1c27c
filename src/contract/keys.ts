import { z } from 'zod';
import { gateFields } from './input-gate.js';
import { MAX_KEYS } from './limits.js';

/** Body of `POST /api/terminals/:id/keys`. */
export const KeysBody = z.object({
  keys: z
    .array(z.string())
    .min(1)
    .max(MAX_KEYS)
    .describe(
      'Names of keys, in any case, such as `enter`, `up`, `ctrl+c`, `alt+x`, `shift+tab`, `ctrl+right`, `f5`; a single character stands for itself',
    ),
  ...gateFields,
});
export type KeysBody = z.infer<typeof KeysBody>;
