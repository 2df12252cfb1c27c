import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TypedLines } from '../../src/actors/audit/typed-lines.js';
import { secretValues } from '../../src/actors/redaction/secret-values.js';
import type { AuditFacts, AuditText } from '../../src/contract/audit.js';
import { DomainError } from '../../src/contract/errors.js';
import { SecretFinder } from '../../src/workers/redaction/secret-finder.js';
import { SecretForms } from '../../src/workers/redaction/secret-forms.js';
import { SecretHash } from '../../src/workers/redaction/secret-hash.js';

const SECRET = 'correct horse battery';
const HASH = new SecretHash(Buffer.alloc(32, 7));
const FORMS = new SecretForms({ patterns: {}, allow: [] });
const AGENT = { kind: 'agent', name: 'builder', verified: true } as const;
const PERSON = { kind: 'user', verified: false } as const;

const audit = {
  isOn: true,
  isRequired: false,
  text: 'none' as AuditText,
  lines: [] as AuditFacts[],
  secretsOf: () => new SecretFinder(HASH, FORMS, secretValues({ DB_PASS: SECRET }, ['DB_PASS'], HASH)),
  add: (facts: AuditFacts) => audit.lines.push(facts),
  begin: (facts: AuditFacts): number | undefined => audit.lines.push(facts),
};
let typed: TypedLines;

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(audit, { isOn: true, isRequired: false, text: 'none', lines: [] });
  typed = new TypedLines(audit);
});
afterEach(() => void vi.useRealTimers());

const type = (text: string, by: typeof AGENT | typeof PERSON = AGENT, more = {}) =>
  typed.begin({ terminalId: 'term_1', parts: [{ data: text }], by, ...more });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('what a program types', () => {
  test('has a line before it is sent, and one once it was written', () => {
    const sent = type('é\r', AGENT, { request: 'key-1' });
    const begun = { action: 'type', by: AGENT, terminalId: 'term_1', request: 'key-1' };
    expect(audit.lines).toEqual([begun]);
    sent?.ended({});
    expect(audit.lines).toHaveLength(1);
    sent?.written(false);
    const { bytes, ...rest } = {
      action: 'typed',
      of: 1,
      terminalId: 'term_1',
      bytes: 3,
      sha256: sha256('é\r'),
    };
    expect(audit.lines.slice(1)).toEqual([{ ...rest, bytes }]);
  });

  test('is kept if the setting says so, but nothing of a secret is', () => {
    audit.text = 'full';
    type('ls\r')?.written(false);
    type('hunter2\r')?.written(true);
    expect(audit.lines.filter(({ action }) => action === 'typed')).toEqual([
      { action: 'typed', of: 1, terminalId: 'term_1', bytes: 3, sha256: sha256('ls\r'), text: 'ls\r' },
      { action: 'typed', of: 3, terminalId: 'term_1', secret: true },
    ]);
    expect(JSON.stringify(audit.lines)).not.toContain('hunter2');
  });

  test('is kept without its secrets if the setting says so, and then without what gives them away', () => {
    audit.text = 'redacted';
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const texts = [
      'git status\r',
      `git clone https://me:${token}@github.com/me/it\r`,
      `\x1b[200~${token}\x1b[201~\r`,
      'psql "password=correct horse battery"\r',
      'export API_TOKEN=Zx81q0Lk77\r',
      `echo ghp_${'a1B2'.repeat(4)}`,
    ];
    for (const text of texts) type(text)?.written(false);
    const [plain, ...redacted] = audit.lines.filter(({ action }) => action === 'typed');
    expect(plain).toMatchObject({ bytes: 11, sha256: sha256(texts[0]!), text: texts[0] });
    expect(redacted.map(({ text }) => text?.replace(/:[0-9a-f]{8}\]/g, ':#]'))).toEqual([
      'git clone https://me:[redacted:github-token:#]@github.com/me/it\r',
      '\x1b[200~[redacted:github-token:#]\x1b[201~\r',
      'psql "password=[redacted:DB_PASS:#]"\r',
      'export API_TOKEN=[redacted:assignment:#]\r',
      'echo [redacted:github-token:cut]',
    ]);
    for (const { of, ...line } of redacted)
      expect(line).toEqual({
        ...{ action: 'typed', terminalId: 'term_1', redacted: true, text: expect.any(String) },
      });
    expect(JSON.stringify(audit.lines)).not.toMatch(/a1B2|horse|Zx81/);
  });

  test('has a line if it was not written, or if nobody knows', () => {
    type('a')?.ended({ fault: new DomainError('input-buffer-full') });
    type('b')?.ended({ fault: new DomainError('outcome-unknown') });
    type('c')?.ended({ isRepeated: true });
    const codes = audit.lines.filter(({ action }) => action === 'untyped').map(({ of, code }) => [of, code]);
    expect(codes).toEqual([
      [1, 'input-buffer-full'],
      [3, 'outcome-unknown'],
      [5, 'repeated'],
    ]);
  });

  test('is not sent if its line is required and cannot be written', () => {
    const refuse = vi.spyOn(audit, 'begin').mockImplementation(() => {
      throw new DomainError('audit-unavailable');
    });
    expect(() => type('a')).toThrow(DomainError);
    refuse.mockRestore();
  });

  test('has no line while the log is off', () => {
    audit.isOn = false;
    expect(type('a')).toBeUndefined();
    expect(audit.lines).toEqual([]);
  });
});

describe('what a person types', () => {
  const keys = (text: string, isHidden = false) => {
    for (const key of text) type(key, PERSON)?.written(isHidden);
  };

  test('is a line for each line', () => {
    audit.text = 'full';
    keys('ls\rpwd\r');
    expect(audit.lines.map(({ action, by, text }) => [action, by, text])).toEqual([
      ['typed', PERSON, 'ls\r'],
      ['typed', PERSON, 'pwd\r'],
    ]);
  });

  test('is a line of their own for each of two persons at one terminal', () => {
    audit.text = 'full';
    const other = { ...PERSON, token: { id: 'tok_2', name: 'ann' } };
    type('half ', PERSON)?.written(false);
    type('a ', other)?.written(false);
    type('line\r', { ...PERSON })?.written(false);
    expect(audit.lines.map(({ by, text }) => [by, text])).toEqual([
      [PERSON, 'half '],
      [other, 'a '],
      [PERSON, 'line\r'],
    ]);
  });

  test('is a line after a while without a key, before a program types, and at the end', () => {
    audit.text = 'full';
    keys('git pu');
    vi.advanceTimersByTime(4_900);
    keys('sh');
    vi.advanceTimersByTime(4_900);
    expect(audit.lines).toEqual([]);
    vi.advanceTimersByTime(100);
    keys(' --force');
    type('x');
    keys('y');
    typed.close();
    expect(audit.lines.map(({ text, action }) => text ?? action)).toEqual([
      'git push',
      ' --force',
      'type',
      'y',
    ]);
  });

  test('is a secret as a whole if a part of it is', () => {
    keys('hunter2', true);
    keys('\r');
    expect(audit.lines).toEqual([{ action: 'typed', by: PERSON, terminalId: 'term_1', secret: true }]);
  });

  test('has a line before its first key where the log is required', () => {
    Object.assign(audit, { text: 'full', isRequired: true });
    keys('ls\r');
    // The next line is begun before the terminal has taken the Enter of the last.
    const sent = [...'pwd\rid\r'].map((key) => type(key, PERSON));
    for (const each of sent) each?.written(false);
    expect(audit.lines.map(({ text, action }) => text ?? action)).toEqual([
      'type',
      'ls\r',
      'type',
      'type',
      'pwd\r',
      'id\r',
    ]);
    expect(audit.lines[0]).toEqual({ action: 'type', by: PERSON, terminalId: 'term_1' });
  });

  test('is not sent where the log is required and cannot be written', () => {
    audit.isRequired = true;
    const begin = vi.spyOn(audit, 'begin').mockImplementation(() => {
      throw new DomainError('audit-unavailable');
    });
    expect(() => type('a', PERSON)).toThrow(DomainError);
    expect(() => type('b', PERSON)).toThrow(DomainError);
    begin.mockRestore();
    type('c', PERSON)?.ended({ fault: new DomainError('unavailable') });
    type('d', PERSON);
    expect(audit.lines.map(({ action }) => action)).toEqual(['type', 'type']);
  });
});
