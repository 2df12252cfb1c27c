/** Errors of guarded mode and its tokens; part of the catalogue. */
export const ACCESS_ERRORS = {
  'verb-missing': {
    status: 403,
    message: 'The token does not allow this',
    fix: 'GET /api/tokens/self shows what the token allows; `needs` is what the request needs',
  },
  'outside-scope': {
    status: 403,
    message: 'The token is bound to some terminals, and this is about others',
    fix: 'GET /api/tokens/self shows which terminals the token is for',
  },
  'token-not-found': { status: 404, message: 'Token not found', fix: 'GET /api/tokens lists the tokens' },
  'too-many-tokens': { status: 409, message: 'There are too many tokens', fix: 'Delete tokens first' },
  'token-rate': {
    status: 429,
    message: 'The token has sent as many requests as it may',
    fix: 'Try again after retryAfterMs',
  },
  'token-limit': {
    status: 429,
    message: 'The token has as many terminals as it may have',
    fix: 'Close terminals that were created with it',
  },
} as const;
