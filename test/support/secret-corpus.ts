import type { Random } from './random.js';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const HEX = '0123456789abcdef';
const ALPHANUMERIC = LOWER + UPPER + DIGITS;
const URL_SAFE = `${ALPHANUMERIC}-_`;
const BASE64 = `${ALPHANUMERIC}+/`;

export function charsOf(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join('');
}

/**
 * Makes a secret of a documented form. The parts are joined here, so that nothing in this repository looks like a key.
 */
type Make = (random: Random) => string;

const some =
  (prefix: string[], alphabet: string, length: number): Make =>
  (random) =>
    `${prefix.join('')}${charsOf(random, alphabet, length - 1)}${charsOf(random, alphabet.slice(0, 26), 1)}`;

const base64url = (text: string) => Buffer.from(text).toString('base64url');

function pem(random: Random): string {
  const lines = Array.from({ length: 20 }, () => charsOf(random, BASE64, 64));
  const rim = (word: string) => ['-----', word, ' RSA PRIV', 'ATE KEY-----'].join('');
  return [rim('BEGIN'), ...lines, `${charsOf(random, BASE64, 42)}==`, rim('END')].join('\n');
}

/** Makers of secrets, each with the kind of its secret. */
export const MAKERS: Array<{ kind: string; make: Make }> = [
  { kind: 'anthropic-key', make: some(['sk-', 'ant-', 'api03-'], URL_SAFE, 95) },
  { kind: 'openai-key', make: some(['sk-', 'proj-'], URL_SAFE, 156) },
  { kind: 'openai-key', make: some(['sk', '-'], ALPHANUMERIC, 48) },
  { kind: 'openrouter-key', make: (random) => `sk-${'or-'}v1-${charsOf(random, HEX, 64)}` },
  ...['p', 'o', 'u', 's', 'r'].map((letter) => ({
    kind: 'github-token',
    make: some(['gh', letter, '_'], ALPHANUMERIC, 36),
  })),
  {
    kind: 'github-token',
    make: (random) =>
      `github${'_pat_'}${charsOf(random, ALPHANUMERIC, 22)}_${charsOf(random, ALPHANUMERIC, 59)}`,
  },
  { kind: 'gitlab-token', make: some(['gl', 'pat-'], URL_SAFE, 20) },
  {
    kind: 'gitlab-token',
    make: (random) => `gl${'pat-'}${charsOf(random, URL_SAFE, 27)}.01.${charsOf(random, LOWER + DIGITS, 9)}`,
  },
  { kind: 'aws-key-id', make: some(['AK', 'IA'], UPPER, 16) },
  { kind: 'google-key', make: some(['AI', 'za'], URL_SAFE, 35) },
  {
    kind: 'slack-token',
    make: (random) => `xo${'xb-'}${charsOf(random, DIGITS, 12)}-${charsOf(random, ALPHANUMERIC, 24)}`,
  },
  { kind: 'npm-token', make: some(['np', 'm_'], ALPHANUMERIC, 36) },
  { kind: 'pypi-token', make: some(['py', 'pi-AgEIcHlwaS5vcmcC'], URL_SAFE, 120) },
  { kind: 'stripe-key', make: some(['sk', '_live_'], ALPHANUMERIC, 24) },
  { kind: 'huggingface-token', make: some(['h', 'f_'], LOWER + UPPER, 34) },
  { kind: 'digitalocean-token', make: (random) => `dop${'_v1_'}${charsOf(random, HEX, 64)}` },
  {
    kind: 'sendgrid-key',
    make: (random) => `S${'G.'}${charsOf(random, URL_SAFE, 22)}.${some([], URL_SAFE, 43)(random)}`,
  },
  { kind: 'google-token', make: some(['ya', '29.'], URL_SAFE, 150) },
  {
    kind: 'webhook-secret',
    make: (random) => `whsec${'_'}${charsOf(random, BASE64, 43)}=`,
  },
  { kind: 'docker-token', make: some(['dckr', '_pat_'], URL_SAFE, 27) },
  { kind: 'xai-key', make: some(['xa', 'i-'], ALPHANUMERIC, 80) },
  { kind: 'perplexity-key', make: some(['pp', 'lx-'], ALPHANUMERIC, 48) },
  { kind: 'shopify-token', make: (random) => `shp${'at_'}${charsOf(random, HEX, 32)}` },
  { kind: 'age-key', make: some(['AGE-SECRET', '-KEY-1'], UPPER + DIGITS, 58) },
  { kind: 'groq-key', make: some(['gs', 'k_'], ALPHANUMERIC, 52) },
  { kind: 'vault-token', make: some(['hv', 's.'], URL_SAFE, 92) },
  { kind: 'linear-key', make: some(['lin', '_api_'], ALPHANUMERIC, 40) },
  {
    kind: 'jwt',
    make: (random) =>
      [
        base64url('{"alg":"HS256","typ":"JWT"}'),
        base64url(`{"sub":"${charsOf(random, DIGITS, 10)}","name":"A"}`),
        some([], URL_SAFE, 43)(random),
      ].join('.'),
  },
  { kind: 'private-key', make: pem },
];

/** Lines in which programs print secrets. */
const AROUND: ReadonlyArray<(secret: string) => string> = [
  (secret) => secret,
  (secret) => `export API_TOKEN=${secret}`,
  (secret) => `curl -H "Authorization: Bearer ${secret}" https://api.example.com/v1`,
  (secret) => `{"level":"info","token":"${secret}"}`,
  (secret) => `  token: ${secret}`,
  (secret) => `using '${secret}' for registry`,
  (secret) => `remote: https://x-access-token:${secret}@git.example.com/a/b.git`,
  (secret) => `{"text":"first line\\n${secret}\\nlast line"}`,
];

/** Secrets that only their surroundings reveal. */
const BESIDE_NAMES: ReadonlyArray<(random: Random) => { kind: string; secret: string; text: string }> = [
  (random) => {
    const secret = charsOf(random, `${ALPHANUMERIC}!#.`, 14);
    return { kind: 'url-password', secret, text: `postgres://app:${secret}@db.internal:5432/app` };
  },
  (random) => {
    const secret = charsOf(random, BASE64, 40);
    return { kind: 'assignment', secret, text: `AWS_SECRET_ACCESS_KEY=${secret}` };
  },
  (random) => {
    const secret = charsOf(random, ALPHANUMERIC, 16);
    return { kind: 'assignment', secret, text: `{"client_id": "abc", "client_secret": "${secret}"}` };
  },
  (random) => {
    const secret = charsOf(random, HEX, 40);
    return { kind: 'authorization', secret, text: `> Authorization: Bearer ${secret}` };
  },
  (random) => {
    const secret = `${charsOf(random, BASE64, 86)}==`;
    return { kind: 'azure-key', secret, text: `AccountName=a;Account${'Key='}${secret};EndpointSuffix=b` };
  },
];

export interface CorpusKey {
  kind: string;
  secret: string;
  text: string;
}

/** Returns `count` texts, each with a secret, of all forms in turn. */
export function keysOf(random: Random, count: number): CorpusKey[] {
  return Array.from({ length: count }, (_, index) => {
    const at = index % (MAKERS.length + BESIDE_NAMES.length);
    const beside = BESIDE_NAMES[at - MAKERS.length];
    if (beside) return beside(random);
    const { kind, make } = MAKERS[at]!;
    const secret = make(random);
    return { kind, secret, text: random.of(AROUND)(secret) };
  });
}
