/** The dashboard's login. */

/** A session of the dashboard ends when no request has shown its cookie for this long. */
export const SESSION_IDLE_MS = 12 * 60 * 60 * 1_000;

/** Bytes of randomness in the cookie of a session, as many as the token has. */
export const SESSION_ID_BYTES = 32;

/** Sessions at once; for a further session, the session that was idle for longest ends. */
export const MAX_SESSIONS = 100;

/** Time within which wrong tokens are counted. */
export const LOGIN_WINDOW_MS = 60_000;

/** Wrong tokens of one address within {@link LOGIN_WINDOW_MS}; beyond it each try answers 429. */
export const MAX_LOGIN_TRIES = 5;

/** Wrong tokens of all addresses within {@link LOGIN_WINDOW_MS}: one machine may have many addresses. */
export const MAX_LOGIN_TRIES_IN_ALL = 30;
