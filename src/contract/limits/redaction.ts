/** Redaction: the secrets that are looked for, and the data that is kept to find them. */

/** Minimum length of a variable's value that is redacted wherever it occurs: shorter values are words of any text. */
export const MIN_KNOWN_SECRET_CHARS = 8;
/** Maximum length of a secret that is recognised by its value; a longer line of a value is several such secrets. */
export const MAX_KNOWN_SECRET_CHARS = 4_096;
/** Lines of secret values that are kept of one terminal; more are not recognised. */
export const MAX_KNOWN_SECRETS = 256;
/** Names in `secrets` of a request to create a terminal. */
export const MAX_NAMED_SECRETS = 64;
/** Terminals whose secrets can be recognised; beyond it, gone terminals that no recording needs are forgotten. */
export const MAX_SECRETIVE_TERMINALS = 4_096;

/** Patterns of the setting `redact.patterns`; each may cost a look at each character. */
export const MAX_REDACT_PATTERNS = 64;
/** Entries of the setting `redact.allow`. */
export const MAX_REDACT_ALLOWED = 1_000;
/** Characters of the text of a pattern or of an allowed text. */
export const MAX_REDACT_TEXT_CHARS = 1_000;
/** Characters that a pattern of the settings may match: a character that begins a match costs this many steps. */
export const MAX_PATTERN_SECRET_CHARS = 1_024;
/** Characters that a pattern must begin with, by which its places are found. */
export const MIN_PATTERN_LITERAL_CHARS = 3;
/** Characters that a built-in form may match: a private key of 8,192 bits in PEM has 6,500. */
export const MAX_FORM_SECRET_CHARS = 8_192;

/** Characters that must follow the fixed beginning of a form at the end of an unfinished line to count as a secret. */
export const MIN_CUT_SECRET_CHARS = 8;

/** Bytes of the key of this installation, with which secrets are hashed. */
export const REDACTION_KEY_BYTES = 32;
/** Hexadecimal digits of the hash in the place of a secret: enough to distinguish the secrets of an installation. */
export const REDACTED_HASH_DIGITS = 8;

/**
 * Characters of events that wait behind a typed line or a string without an end, or behind output without any visible
 * character. Beyond it the waiting text is taken as it is.
 */
export const MAX_HELD_EVENT_CHARS = 1_000_000;
