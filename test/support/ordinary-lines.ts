import type { Random } from './random.js';
import { charsOf } from './secret-corpus.js';

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const HEX = '0123456789abcdef';
const BASE64 = `${LOWER}${LOWER.toUpperCase()}0123456789+/`;

const WORDS =
  `add fix remove the token password secret key of build cache index reader for a test and server in with
  sk-loading-indicator risk-free task-runner disk-usage npm_config_registry hf_hub github gitlab slack
  authorization bearer basic authentication AKIA eyJ private public certificate`.split(/\s+/);

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.of(WORDS)).join(' ');
}

function uuid(random: Random): string {
  return [8, 4, 4, 4, 12].map((length) => charsOf(random, HEX, length)).join('-');
}

const path = (random: Random) => `src/${charsOf(random, LOWER, 6)}/${charsOf(random, LOWER, 9)}.ts`;

/** Kinds of lines without secrets that programs print; many of the lines resemble a secret. */
const KINDS: ReadonlyArray<(random: Random) => string> = [
  (random) => `${charsOf(random, HEX, 7)} ${words(random, 6)}`,
  (random) => `commit ${charsOf(random, HEX, 40)}`,
  (random) => `${charsOf(random, HEX, 64)}  ${path(random)}`,
  (random) => `request ${uuid(random)} took ${random.below(900)} ms`,
  (random) => charsOf(random, BASE64, 76),
  (random) => `background: url(data:image/png;base64,iVBORw0KGgo${charsOf(random, BASE64, 200)}==)`,
  (random) => `      "integrity": "sha512-${charsOf(random, BASE64, 86)}==",`,
  (random) => `npm warn deprecated ${charsOf(random, LOWER, 8)}@${random.below(9)}.1.0: ${words(random, 5)}`,
  (random) => `[${random.below(100)}%] Building CXX object CMakeFiles/${path(random)}.o`,
  (random) => `${path(random)}(${random.below(300)},5): error TS2322: ${words(random, 8)}.`,
  (random) => `-rw-r--r-- 1 user user ${random.below(99_999)} Jan  1 12:00 ${charsOf(random, LOWER, 12)}`,
  (random) => ` => => sha256:${charsOf(random, HEX, 64)} ${random.below(90)}.1MB / 90.2MB`,
  (random) =>
    `GET http://localhost:${3000 + random.below(999)}/users/${uuid(random)}?email=a@example.com 200`,
  (random) => `git@github.com:org/${charsOf(random, LOWER, 8)}.git (fetch)`,
  (random) => `https://user@git.example.com/${path(random)}`,
  (random) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${charsOf(random, BASE64, 43)} user@host`,
  (random) => `SHA256:${charsOf(random, BASE64, 43)} user@host (ED25519)`,
  (random) => `    at ${charsOf(random, LOWER, 9)} (/app/${path(random)}:${random.below(99)}:7)`,
  (random) => `+  const token = await ${charsOf(random, LOWER, 7)}.getToken(); // ${words(random, 4)}`,
  (random) => `tokens: ${random.below(9_999)} in, ${random.below(999)} out; password: ********`,
  () => 'export API_TOKEN=$(cat ~/.token) DB_PASSWORD=$DB_PASSWORD SECRET=<your secret>',
  () => `PASSWORD="\${PASSWORD}" TOKEN='' API_KEY=  # fill in`,
  (random) => `{"type":"token","value":"${words(random, 2)}","tokenCount": ${random.below(99)}}`,
  (random) =>
    `.${charsOf(random, LOWER, 4)}-${random.of(['sk', 'xoxo', 'glow', 'task'])}-${charsOf(random, LOWER, 14)} {`,
  (random) => `-----BEGIN CERTIFICATE-----${charsOf(random, BASE64, 64)}`,
  (random) => `\u2713 ${words(random, 5)} \u2014 \u00fcber ${random.below(99)} ms`,
  (random) =>
    `AWS_REGION=eu-central-1 KEY_COUNT=${random.below(99)} SORT_KEY=name MAX_TOKENS=${random.below(9_999_999)}`,
  (random) => `eyJ${charsOf(random, BASE64, 60)}`,
  (random) => `warning: ${words(random, 12)}`,
  (random) =>
    `#${random.below(40)} ${random.below(60)}.${random.below(9)} Get:${random.below(40)} http://deb.example.org/debian stable/main amd64 ${charsOf(random, LOWER, 9)} [${random.below(900)} kB]`,
];

/** Returns lines of output without any secret, of all kinds in turn. */
export function ordinaryLines(random: Random, count: number): string[] {
  return Array.from({ length: count }, (_, index) => KINDS[index % KINDS.length]!(random));
}
