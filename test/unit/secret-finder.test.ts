import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretValues } from '../../src/actors/redaction/secret-values.js';
import type { RedactSettings } from '../../src/contract/redaction/redact-settings.js';
import { builtInForms } from '../../src/workers/redaction/known-forms.js';
import { SecretFinder } from '../../src/workers/redaction/secret-finder.js';
import { SecretHash } from '../../src/workers/redaction/secret-hash.js';
import { ordinaryLines } from '../support/ordinary-lines.js';
import { Random } from '../support/random.js';
import { keysOf, MAKERS } from '../support/secret-corpus.js';

const key = randomBytes(32);
const MARKER = /\[redacted:[\w-]+:[0-9a-f]{8}\]/g;

function finderWith(settings: Partial<RedactSettings> = {}, env: Record<string, string> = {}): SecretFinder {
  const known = secretValues(env, Object.keys(env), new SecretHash(key));
  return SecretFinder.of({ key, settings: { patterns: {}, allow: [], ...settings }, known });
}

const finder = finderWith();

describe('a corpus', () => {
  it('has each of its 200 secrets found, as what it is', () => {
    const missed = keysOf(new Random(1), 200).filter(({ kind, secret, text }) => {
      const redacted = finder.redact(text);
      const isGone = secret.split('\n').every((line) => !redacted.includes(line));
      return !isGone || !redacted.includes(`[redacted:${kind}:`);
    });
    expect(missed).toEqual([]);
  });

  it('has at most 5 false ones in 10,000 lines without any', () => {
    const lines = ordinaryLines(new Random(2), 10_000);
    const changed = lines.filter((line) => finder.redact(line) !== line);
    expect(changed.length, changed.join('\n')).toBeLessThanOrEqual(5);
  });
});

it('is documented: the page names each kind, and the corpus has a secret of each', () => {
  const { tokens, besideNames } = builtInForms();
  const kinds = [...new Set([...tokens, ...besideNames].map(({ kind }) => kind))].sort();
  const page = readFileSync(new URL('../../docs/redaction.md', import.meta.url), 'utf8');
  expect(kinds.filter((kind) => !page.includes(`\`${kind}\``))).toEqual([]);
  const made = new Set(keysOf(new Random(1), 200).map(({ kind }) => kind));
  expect([...made].sort()).toEqual(kinds);
});

describe('the finder', () => {
  it('leaves the rest of a line, and gives equal secrets an equal mark', () => {
    const make = MAKERS[0]!.make;
    const [one, other] = [make(new Random(1)), make(new Random(2))];
    const [, before, first, second, third] =
      /^(a )(\S+) b (\S+) c (\S+)$/.exec(finder.redact(`a ${one} b ${other} c ${one}`)) ?? [];
    expect(before).toBe('a ');
    expect(first).toMatch(/^\[redacted:anthropic-key:[0-9a-f]{8}\]$/);
    expect(third).toBe(first);
    expect(second).not.toBe(first);
    // Another installation has another key, so its marks reveal nothing about these marks.
    const elsewhere = SecretFinder.of({
      key: randomBytes(32),
      settings: { patterns: {}, allow: [] },
      known: [],
    });
    expect(elsewhere.redact(one)).not.toBe(first);
  });

  it('prefers what a secret is by itself to what stands beside it', () => {
    const token = MAKERS.find(({ kind }) => kind === 'github-token')!.make(new Random(1));
    expect(finder.redact(`GITHUB_TOKEN=${token}`)).toMatch(/^GITHUB_TOKEN=\[redacted:github-token:\w+\]$/);
    expect(finder.redact(`https://me:${token}@host/a`)).toMatch(
      /^https:\/\/me:\[redacted:github-token:\w+\]@host\/a$/,
    );
    const known = finderWith({}, { MY_TOKEN: token });
    expect(known.redact(`x=${token}`)).toMatch(/^x=\[redacted:MY_TOKEN:\w+\]$/);
  });

  it('finds a secret with a dollar sign or a brace in it, beside its name, and none that a program has yet to fill in', () => {
    for (const secret of ['Pa$$w0rd-12', 'x{y}z-1234$']) {
      for (const text of [
        `{"password": "${secret}"}`,
        `DB_PASSWORD='${secret}'`,
        `redis://me:${secret}@host/0`,
      ])
        expect(finder.redact(text)).toMatch(/^[^$]+\[redacted:[\w-]+:\w+\][^$]+$/);
    }
    for (const text of [
      '"password": "$PASS and"',
      "DB_PASSWORD='$PASSWORD'",
      'redis://me:$PASS@host',
      'redis://me:{{pass}}@host',
    ])
      expect(finder.redact(text)).toBe(text);
  });

  it('finds a header in lower case, as HTTP/2 has it', () => {
    for (const [scheme, text] of [
      ['Basic', Buffer.from('me:a password').toString('base64')],
      ['Bearer', 'abcdefghijklmnopqrst'],
    ])
      expect(finder.redact(`> authorization: ${scheme} ${text}`)).toMatch(
        /^> authorization: \w+ \[redacted:authorization:\w+\]$/,
      );
  });

  it('finds a private key that is encrypted by itself, also in JSON, and without its end', () => {
    const encryption = { format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' } as const;
    const { privateKey: rsa } = generateKeyPairSync('rsa', {
      modulusLength: 1024,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', ...encryption },
    });
    const { privateKey: ec } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'sec1', ...encryption },
    });
    for (const text of [rsa, ec]) {
      expect(text).toContain('Proc-Type: 4,ENCRYPTED');
      // The index leaves empty lines out.
      for (const form of [text, text.replaceAll('\n\n', '\n'), text.replaceAll('\n', '\r\n')])
        expect(finder.redact(`a ${form} b`)).toMatch(/^a \[redacted:private-key:\w+\]\s+b$/);
      expect(finder.redact(JSON.stringify({ text }))).toMatch(/^{"text":"\[redacted:private-key:\w+\]\\n"}$/);
      const cut = text.slice(0, 200);
      expect(finder.redact(`${cut}\n$ `)).toMatch(/^\[redacted:private-key:\w+\]\$ $/);
    }
  });

  it('finds a private key whose end is missing, and no prose behind the beginning of one', () => {
    const lines = MAKERS.find(({ kind }) => kind === 'private-key')!
      .make(new Random(1))
      .split('\n');
    for (const indent of ['', '           ']) {
      const begun = lines.slice(0, -1).join(`\n${indent}`);
      expect(finder.redact(`$ head key\n${begun}\n$ `)).toMatch(
        /^\$ head key\n\[redacted:private-key:\w+\]\$ $/,
      );
    }
    const begun = lines.slice(0, 3).join('\n');
    const more = Array.from({ length: 3_000 }, (_, index) => index).join('\n');
    expect(finder.redact(`${begun}\n${more}`)).toMatch(/^\[redacted:private-key:\w+\]\d+\n[\d\n]+\n2999$/);
    const prose = `A file begins with ${lines[0]} and ${'then comes the key itself '.repeat(5)}`;
    expect(finder.redact(prose)).toBe(prose);
  });

  it('takes patterns of the settings, and lets pass what they allow', () => {
    const patterns = { 'acme-key': 'acme_[a-z]{10,20}' };
    const own = finderWith({ patterns, allow: ['acme_aaaaaaaaaa', { pattern: 'acme_test[a-z]{6,16}' }] });
    expect(own.redact('acme_bbbbbbbbbb')).toMatch(/^\[redacted:acme-key:/);
    for (const text of ['acme_aaaaaaaaaa', 'acme_testaaaaaa', 'acme_short', 'TOKEN=acme_aaaaaaaaaa'])
      expect(own.redact(text)).toBe(text);
  });

  it('finds values of variables wherever they stand, and those of several lines by each of them', () => {
    const own = finderWith(
      {},
      { DB_PASSWORD: 'correct horse', PEM_KEY: '-----BEGIN X-----\nfirst line 1\nsecond line\n' },
    );
    const text = 'say correct horses, "first line 1" and\r\nsecond line: incorrect hors';
    expect(own.redact(text).replace(MARKER, '*')).toBe('say *s, "*" and\r\n*: incorrect hors');
    expect(own.redact('-----BEGIN X-----')).toBe('-----BEGIN X-----');
  });

  it('finds values as a search for each of them does', () => {
    const unit = fc.constantFrom('a', 'b', '\u00e9');
    const values = fc.array(fc.string({ unit, minLength: 8, maxLength: 10 }), { minLength: 1, maxLength: 5 });
    const plain = fc.string({ unit, maxLength: 60 });
    fc.assert(
      fc.property(values, plain, plain, (secrets, before, after) => {
        const env = Object.fromEntries(secrets.map((value, index) => [`V${index}`, value]));
        const text = before + secrets[0] + after;
        expect(finderWith({}, env).redact(text).replace(MARKER, '*')).toBe(bySearch(text, secrets));
      }),
      { numRuns: 500 },
    );
  });

  it('changes no text without a secret, and nothing at a second time', () => {
    const random = new Random(3);
    const secrets = keysOf(random, 60).map(({ text }) => text);
    const part = fc.oneof(
      fc.constantFrom(...secrets, ...ordinaryLines(random, 60)),
      fc.constantFrom(
        ' ',
        '\n',
        '"',
        'x',
        '=',
        'TOKEN=',
        '://u:',
        '@',
        'redacted',
        '[redacted:',
        ':0a1b2c3d]',
        'valuevalue',
      ),
      fc.string({ maxLength: 5 }),
    );
    const own = finderWith({}, { A: 'valuevalue', B: 'redacted' });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const text = parts.join('');
        const once = own.redact(text);
        expect(own.redact(once)).toBe(once);
        if (own.find(text).length === 0) expect(once).toBe(text);
      }),
      { numRuns: 3_000 },
    );
  });
});

/** Replaces values from left to right; of the values that begin at the same place, replaces the longest. */
function bySearch(text: string, values: readonly string[]): string {
  const longestFirst = [...values].sort((a, b) => b.length - a.length);
  let result = '';
  for (let at = 0; at < text.length; ) {
    const value = longestFirst.find((each) => text.startsWith(each, at));
    result += value ? '*' : text[at];
    at += value?.length ?? 1;
  }
  return result;
}
