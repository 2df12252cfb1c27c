import { z } from 'zod';
import { MAX_TOKEN_PERMISSIONS } from './limits.js';
import { label } from './strings.js';

/** Body of `POST /api/auth/token`. */
export const TokenBody = z.object({
  clientId: label.optional(),
  permissions: z.array(label).max(MAX_TOKEN_PERMISSIONS).default(['read', 'write']),
});
export type TokenBody = z.infer<typeof TokenBody>;

/** Answer of `POST /api/auth/token`. */
export const TokenAnswer = z.object({
  token: z.string().describe('A JWT that grants no access'),
  expiresIn: z.literal('24h'),
  permissions: z.array(z.string()),
});

/** Answer of `GET /api/system/metrics`. */
export const SystemMetrics = z.object({
  cpu: z.literal(0),
  memory: z.literal(0),
  disk: z.literal(0),
  network: z.literal(0),
});

/** Answer of `GET /api/search/history`. */
export const SearchHistory = z.object({ history: z.array(z.unknown()).max(0) });
