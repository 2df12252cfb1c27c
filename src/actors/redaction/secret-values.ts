import { DomainError } from '../../contract/errors.js';
import { MAX_KNOWN_SECRET_CHARS, MAX_KNOWN_SECRETS, MIN_KNOWN_SECRET_CHARS } from '../../contract/limits.js';
import { fingerprintOf, type KnownValue } from '../../workers/redaction/known-values.js';
import type { SecretHash } from '../../workers/redaction/secret-hash.js';

/** Names of variables that hold a secret: `*_KEY`, `*TOKEN`, `PASSWORD*` and the like. */
const SECRET_NAME = /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|_KEY|_PAT)(?:_\d{1,3})?$|^PASSWORD/i;
const PUBLIC_NAME = /PUBLIC/i;

/** Start of the first and last line of a PEM key: these lines are no secret, and the same in every key. */
const RIM = /^-----/;

/** Most characters of a variable's name in the text that replaces its value. */
const MAX_KIND_CHARS = 64;

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PUBLIC_NAME.test(name);
}

/**
 * Returns the secrets in an environment in the form in which they are kept. Each line of a value is a secret
 * of its own, since terminals and programs divide such values at their lines; a very long line is several secrets.
 *
 * @param named - names of variables that are secrets, whatever their names. Throws invalid-request for a variable
 *   that does not exist, or whose value is too short to differ from other text
 */
export function secretValues(
  env: Readonly<Record<string, string>>,
  named: readonly string[],
  hash: SecretHash,
): KnownValue[] {
  for (const name of named) {
    // Not what every object has, such as `constructor`.
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (linesOf(value ?? '').length === 0) throw unusable(name, value !== undefined);
  }
  // Named ones come first: of very many lines the last are not recognised.
  const names = new Set([...named, ...Object.keys(env).filter(isSecretName)]);
  const kinds = new Map(
    [...names].flatMap((name) =>
      linesOf(env[name]!)
        .flatMap(piecesOf)
        .map((piece) => [piece, kindOf(name)] as const),
    ),
  );
  return [...kinds].slice(0, MAX_KNOWN_SECRETS).map(([line, name]) => ({
    name,
    length: line.length,
    fingerprint: fingerprintOf(line, hash),
    isWhole: true,
    hash: hash.ofValue(line),
  }));
}

function kindOf(name: string): string {
  return name.replace(/\W/g, '_').slice(0, MAX_KIND_CHARS);
}

function linesOf(value: string): string[] {
  return value
    .split(/[\r\n]+/)
    .filter((line) => line.trim().length >= MIN_KNOWN_SECRET_CHARS && !RIM.test(line));
}

/** Cuts a line that is too long to be one secret into several, all of nearly the same length. */
function piecesOf(line: string): string[] {
  const count = Math.ceil(line.length / MAX_KNOWN_SECRET_CHARS);
  const size = Math.ceil(line.length / count);
  return Array.from({ length: count }, (_, index) => line.slice(index * size, (index + 1) * size));
}

function unusable(name: string, isThere: boolean): DomainError {
  const fault = isThere
    ? `has fewer than ${MIN_KNOWN_SECRET_CHARS} characters`
    : "is not in the program's environment";
  return new DomainError('invalid-request', `secrets: the value of ${name} ${fault}`);
}
