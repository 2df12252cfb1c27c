import { MAX_FORM_SECRET_CHARS } from '../../contract/limits.js';
import { parsePattern } from '../../contract/redaction/secret-pattern.js';
import type { SecretForm } from './secret-form.js';

/** The words before `PRIVATE KEY` in the first line of such a key. */
const KEY_TYPES = ['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED '];

/** The types of such keys that may be encrypted by themselves: two lines before the key then say how. */
const HEADED_KEY_TYPES = ['RSA ', 'EC ', 'DSA '];

/** The first line of a key and the two lines, whose ends JSON may have escaped. */
function keyHead(type: string): string {
  const lineEnd = String.raw`[\s\\nr]{1,300}`;
  return `-----BEGIN ${type}PRIVATE KEY-----${lineEnd}Proc-Type: 4,ENCRYPTED${lineEnd}DEK-Info: [A-Z0-9-]{3,40},`;
}

/**
 * Forms of secrets that their makers document, by kind. Lengths leave room above today's, since makers lengthen their
 * tokens more often than they change a prefix.
 */
const TOKENS: Record<string, readonly string[]> = {
  'anthropic-key': [String.raw`sk-ant-[\w-]{20,200}`],
  'openai-key': [
    ...['sk-proj-', 'sk-svcacct-', 'sk-admin-'].map((prefix) => String.raw`${prefix}[\w-]{40,250}`),
    'sk-[A-Za-z0-9]{48}',
  ],
  'openrouter-key': ['sk-or-v1-[a-f0-9]{64}'],
  'github-token': [
    ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => `${prefix}[A-Za-z0-9]{36,251}`),
    String.raw`github_pat_\w{60,251}`,
  ],
  'gitlab-token': ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-', 'glsoat-', 'glft-'].map(
    (prefix) => String.raw`${prefix}[\w.-]{20,300}`,
  ),
  'aws-key-id': ['AKIA[A-Z0-9]{16}', 'ASIA[A-Z0-9]{16}'],
  'google-key': [String.raw`AIza[\w-]{35}`],
  'google-token': [String.raw`ya29\.[\w-]{20,500}`],
  'slack-token': [
    ...['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-'].map((prefix) => `${prefix}[A-Za-z0-9-]{20,250}`),
    'xapp-[A-Za-z0-9-]{20,250}',
  ],
  'npm-token': ['npm_[A-Za-z0-9]{36}'],
  'pypi-token': [String.raw`pypi-AgE[\w-]{50,1000}`],
  'stripe-key': ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'].map(
    (prefix) => `${prefix}[A-Za-z0-9]{16,247}`,
  ),
  'webhook-secret': ['whsec_[A-Za-z0-9+/]{24,100}={0,2}'],
  'huggingface-token': ['hf_[A-Za-z0-9]{34}'],
  'digitalocean-token': ['dop_v1_', 'doo_v1_', 'dor_v1_'].map((prefix) => `${prefix}[a-f0-9]{64}`),
  'sendgrid-key': [String.raw`SG\.[\w-]{22}\.[\w-]{43}`],
  'docker-token': [String.raw`dckr_pat_[\w-]{27}`, String.raw`dckr_oat_[\w-]{32}`],
  'groq-key': ['gsk_[A-Za-z0-9]{52}'],
  'xai-key': ['xai-[A-Za-z0-9]{80}'],
  'perplexity-key': ['pplx-[A-Za-z0-9]{48}'],
  'vault-token': [String.raw`hvs\.[\w-]{24,300}`],
  'shopify-token': ['shpat_', 'shpss_', 'shpca_', 'shppa_'].map((prefix) => `${prefix}[a-fA-F0-9]{32}`),
  'linear-key': ['lin_api_[A-Za-z0-9]{40}'],
  'age-key': ['AGE-SECRET-KEY-1[A-Z0-9]{58}'],
  jwt: [String.raw`eyJ[\w-]{10,500}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}`],
  'private-key': [
    // With backslashes, for line ends that JSON has escaped.
    ...KEY_TYPES.map(
      (type) =>
        String.raw`-----BEGIN ${type}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{64,7500}-----END ${type}PRIVATE KEY-----`,
    ),
    ...HEADED_KEY_TYPES.map(
      (type) => String.raw`${keyHead(type)}[A-Za-z0-9+/=\s\\]{80,7000}-----END ${type}PRIVATE KEY-----`,
    ),
  ],
};

/**
 * Keys whose end is missing, since a screen has no room for it, or `head` printed only the beginning. A whole row of
 * the key distinguishes it from prose. Text behind the key may look like more of it, even where the form has no room
 * for more.
 */
const UNENDED: Record<string, readonly string[]> = {
  'private-key': [
    ...KEY_TYPES.map(
      (type) =>
        String.raw`-----BEGIN ${type}PRIVATE KEY-----\s{1,300}[A-Za-z0-9+/]{60}[A-Za-z0-9+/=\s\\]{0,7400}`,
    ),
    ...HEADED_KEY_TYPES.map((type) => String.raw`${keyHead(type)}[A-Za-z0-9+/=\s\\]{80,7000}`),
  ],
};

/** A value that a shell does not compute: it begins with none of `$`, `<`, `{`, `*`, `%`, `(`, `[`. */
const VALUE = '([^\\s"\'`$<>{*%([\\\\;|&][^\\s"\'`;|&<>]{7,4000})';

/** Endings of the names of variables that hold a secret. */
const VARIABLES = [
  ...['TOKEN', 'SECRET', 'PASSWORD', 'PASSWD', 'PASSPHRASE', 'API_KEY', 'APIKEY', 'ACCESS_KEY'],
  ...['SECRET_KEY', 'PRIVATE_KEY', 'SIGNING_KEY', 'ENCRYPTION_KEY', 'AUTH_KEY'],
];

/** Endings of the names of fields that hold a secret. */
const FIELDS = ['token', 'secret', 'password', 'api_key', 'apiKey', 'private_key', 'Token', 'Secret'];

/** Forms of secrets that are recognised only by the text before them. They count where no token does. */
const BESIDE_NAMES: Record<string, readonly string[]> = {
  'url-password': [String.raw`://[^\s:@/"'<>]{0,100}:([^\s@/:"'<>$\{\[][^\s@/:"'<>]{2,199})@`],
  authorization: [
    ...['Bearer ', 'uthorization: bearer '].map((scheme) => `${scheme}([A-Za-z0-9._~+/-]{20,4000}={0,2})`),
    // HTTP/2 has the names of headers in lower case.
    'uthorization: Basic ([A-Za-z0-9+/]{8,500}={0,2})',
  ],
  'azure-key': ['AccountKey=([A-Za-z0-9+/]{86}==)'],
  assignment: [
    ...VARIABLES.flatMap((name) => [
      `${name}="([^"$\\\\]{8,4000})"`,
      `${name}='([^'$][^']{7,4000})'`,
      `${name}=${VALUE}`,
    ]),
    ...FIELDS.map((name) => String.raw`${name}": ?"([^"$<{*%(\[\\][^"\\]{7,4000})"`),
  ],
};

/** Parses a pattern of the settings, or of the forms above. */
export function formOf(kind: string, source: string, isWithinWords = false): SecretForm {
  return { kind, isWithinWords, ...parsePattern(source, { maxChars: MAX_FORM_SECRET_CHARS }) };
}

interface BuiltInForms {
  tokens: readonly SecretForm[];
  besideNames: readonly SecretForm[];
}

let builtIn: BuiltInForms | undefined;

/** Returns the built-in forms: tokens, and secrets recognised by a name beside them. Parses them at the first call. */
export function builtInForms(): BuiltInForms {
  const tokens = () => [...formsOf(TOKENS, false), ...formsOf(UNENDED, true)];
  builtIn ??= { tokens: tokens(), besideNames: formsOf(BESIDE_NAMES, true) };
  return builtIn;
}

function formsOf(table: Record<string, readonly string[]>, isWithinWords: boolean): SecretForm[] {
  return Object.entries(table).flatMap(([kind, sources]) =>
    sources.map((source) => formOf(kind, source, isWithinWords)),
  );
}
