/** Errors of the prompt queue; part of the catalogue. */
export const PROMPT_ERRORS = {
  'prompt-not-found': {
    status: 404,
    message: 'Prompt not found',
    fix: 'GET /api/terminals/{id}/prompts lists the prompts of a terminal; of those that have ended, the newest are kept',
  },
  'prompt-not-queued': {
    status: 409,
    message: 'The prompt does not wait any longer',
    fix: 'GET /api/terminals/{id}/prompts/{promptId} shows what has become of it',
  },
  'too-many-prompts': {
    status: 429,
    message: 'Too many prompts wait',
    fix: 'Wait until some are typed, or cancel some with DELETE /api/terminals/{id}/prompts/{promptId}',
  },
} as const;
