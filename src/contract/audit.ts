import { z } from 'zod';
import { DEFAULT_AUDIT_BYTES, DEFAULT_AUDIT_DAYS, MAX_KEEP_DAYS } from './limits.js';
import { Principal } from './principal.js';

/** How much of typed text the audit log keeps. A secret is never kept, nor its length. */
export const AuditText = z.enum(['none', 'redacted', 'full']);
export type AuditText = z.infer<typeof AuditText>;

/** The section `audit` of the settings. */
export const auditSettings = {
  enabled: z.boolean().describe('Whether what clients do is written to the audit log'),
  required: z
    .boolean()
    .describe('Whether a request that changes something is refused while the audit log cannot be written'),
  text: AuditText.describe(
    'What the audit log keeps of typed text: `none`: its length and hash; `redacted`: also the text, with secrets replaced as in redacted exports; `full`: also the text as it was typed',
  ),
  maxBytes: z
    .int()
    .min(0)
    .describe('Bytes of the audit log beyond which its oldest files go; 0 sets no limit'),
  keepDays: z
    .int()
    .min(0)
    .max(MAX_KEEP_DAYS)
    .describe('Days after which lines of the audit log go, by whole files; 0 sets no limit'),
};

/** Values of {@link auditSettings} that the config file leaves out. */
export const DEFAULT_AUDIT = {
  enabled: false,
  required: false,
  text: 'none',
  maxBytes: DEFAULT_AUDIT_BYTES,
  keepDays: DEFAULT_AUDIT_DAYS,
} as const;

/** Fields of a line, apart from its place in the log. */
const AuditFacts = z.object({
  action: z
    .string()
    .describe(
      '`type`: text is sent to a terminal; `typed`: text was written to its program, that of line `of` or of a person; ' +
        '`untyped`: the text of line `of` was not, or nobody knows, see `code`; a method and a route such as ' +
        '`POST /api/terminals`: a request that changes something, or was refused; `audit.*`: about the log itself',
    ),
  by: Principal.optional().describe('Who did it'),
  via: z
    .enum(['api', 'socket', 'dashboard', 'fleet'])
    .optional()
    .describe('The listener that the request came through; `fleet`: another machine'),
  terminalId: z.string().optional(),
  terminalIds: z.array(z.string()).optional(),
  request: z.string().optional().describe('The Idempotency-Key of the request'),
  repeated: z
    .literal(true)
    .optional()
    .describe('An earlier request with this key did it, and got the answer'),
  status: z.int().optional().describe('HTTP status of the answer to the request'),
  code: z.string().optional().describe('Code of the error with which it was answered'),
  of: z.int().optional().describe('Number of the line of the text'),
  bytes: z.int().optional().describe('Length of the text in UTF-8; absent with `secret` and `redacted`'),
  sha256: z.string().optional().describe('Hash of the text, as hex digits; absent like `bytes`'),
  text: z.string().optional().describe('The text, if the setting `audit.text` keeps it'),
  redacted: z
    .literal(true)
    .optional()
    .describe(
      'Secrets are replaced in `text`: neither length nor hash is kept, by which they could be guessed',
    ),
  secret: z
    .literal(true)
    .optional()
    .describe('The program read without showing what is typed: nothing of the text is kept'),
  tokenId: z.string().optional().describe('The token that was made or deleted'),
  settings: z.array(z.string()).optional().describe('Names of the settings that were changed'),
});
export type AuditFacts = z.infer<typeof AuditFacts>;

/** A line of the audit log. Lines about the log itself, and lines of later versions, have more fields. */
export const AuditEntry = z
  .looseObject({
    n: z.int().min(1).describe('Number of the line, without a gap'),
    at: z.number().describe('Epoch milliseconds'),
    ...AuditFacts.shape,
    prev: z.string().describe('SHA-256 of the line before, without its line feed, as hex digits'),
  })
  .meta({ id: 'AuditEntry' });

/** A line as programs read it. */
export type AuditEntry = AuditFacts & { n: number; at: number; prev: string };

/** Filter of the lines that a client asks for. */
export interface AuditQuery {
  /** Only lines with a greater number. */
  after?: number | undefined;
  /** Epoch milliseconds, both inclusive. */
  since?: number | undefined;
  until?: number | undefined;
  terminal?: string | undefined;
  /** The beginning of the action. */
  action?: string | undefined;
  /** Kind or name of the client that did it, or the terminal that the client runs in. */
  by?: string | undefined;
  /** Id of the machine of the fleet that did it; `*` for any other machine. */
  machine?: string | undefined;
}

/** Answer of `GET /api/audit/verify`. */
export const AuditCheck = z
  .object({
    isWhole: z.boolean().describe('Whether each line follows from the one before'),
    first: z.int().describe('Number of the first line that is kept; 0 if there is none'),
    last: z.int().describe('Number of the last line up to which the log is whole'),
    fault: z
      .object({ file: z.string(), row: z.int(), why: z.string() })
      .optional()
      .describe(
        'Where it is not whole: the file in `data/audit`, the number of the line in it, and the reason',
      ),
  })
  .meta({ id: 'AuditCheck' });
export type AuditCheck = z.infer<typeof AuditCheck>;
