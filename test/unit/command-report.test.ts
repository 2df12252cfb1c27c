import { CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { BusyError, DisconnectedError, errorOf, NoServiceError } from '#dist/client/errors.js';
import { failureOf } from '#dist/client/refusal.js';
import { adviceOn } from '#dist/command/advice.js';
import { CommandError } from '#dist/command/exit-codes.js';
import { OTHER_WORDS } from '#dist/command/other-words.js';
import { reportOn, wantsJson } from '#dist/command/report.js';
import { ALIASES, VERBS } from '#dist/command/verbs.js';
import { bodyOf, isOfOne } from '#dist/command/wait-one.js';
import { FLEET_ERRORS } from '#dist/contract/fleet-errors.js';

const HELP = 'auto-terminal ls --help';
const refusal = (code: string, status = 404) =>
  errorOf({ status, code, message: 'It failed', fix: 'GET /api/x', details: {}, requestId: 'r1' });

describe('a report', () => {
  test('says what is wrong, and what to do in words of the command', () => {
    expect(reportOn(refusal('recording-not-found'), [], HELP)).toEqual({
      ...{ text: 'auto-terminal: It failed\nauto-terminal record ls lists the recordings\n', exitCode: 3 },
    });
    expect(reportOn(refusal('new-code', 409), [], HELP)).toEqual({
      ...{ text: 'auto-terminal: It failed\nGET /api/x\n', exitCode: 5 },
    });
    // Another program answers.
    expect(reportOn(failureOf(404, {}, '<h1>Not found</h1>'), [], HELP)).toEqual({
      text: expect.stringContaining('Check --url and AUTO_TERMINAL_API_URL') as string,
      exitCode: 1,
    });
    expect(reportOn(new CommandError(7, 'x', 'No', undefined), [], HELP).text).toBe('auto-terminal: No\n');
  });

  test.each([
    [refusal('invalid-request', 400), 2, false],
    [refusal('terminal-not-found'), 3, false],
    [refusal('unauthorized', 401), 4, false],
    [refusal('key-reused', 422), 5, false],
    [refusal('outcome-unknown', 503), 1, false],
    [new DisconnectedError('The connection was lost within an answer'), 1, false],
    [new NoServiceError('No service runs'), 7, false],
    [new BusyError({ status: 503, code: 'unavailable', message: 'x', details: {} }), 75, true],
  ])('%s as JSON', (error, exitCode, transient) => {
    const report = reportOn(error, ['ls', '-o', 'json'], HELP);
    expect(report.exitCode).toBe(exitCode);
    expect(JSON.parse(report.text)).toMatchObject({ error: error.message, code: error.code, transient });
  });

  test('of wrong arguments names the help of the verb, as JSON, too', () => {
    const error = new CommanderError(1, 'commander.unknownOption', "error: unknown option '--x'");
    expect(reportOn(error, ['ls', '--x'], HELP)).toEqual({
      text: `auto-terminal: unknown option '--x'\n${HELP} lists what is possible\n`,
      exitCode: 2,
    });
    expect(JSON.parse(reportOn(error, ['ls', '--x', '-ojson'], HELP).text)).toEqual({
      ...{ error: "unknown option '--x'", code: 'usage', transient: false },
      fix: `${HELP} lists what is possible`,
    });
    expect(reportOn(new CommanderError(0, 'commander.helpDisplayed', ''), [], HELP)).toEqual({
      ...{ text: '', exitCode: 0 },
    });
  });

  test('of a word of another program names the verb that does it here', () => {
    const message = "error: unknown command 'create'\n(Did you mean one of lease, rename?)";
    const error = new CommanderError(1, 'commander.unknownCommand', message);
    expect(reportOn(error, ['create'], HELP).text).toBe(
      `auto-terminal: unknown command 'create'\n(Did you mean new?)\n${HELP} lists what is possible\n`,
    );
    // Of the verbs within a verb it knows nothing: `watches delete` closes no terminal.
    const inner = new CommanderError(1, 'commander.unknownCommand', "error: unknown command 'delete'");
    expect(reportOn(inner, ['watches', 'delete'], HELP).text).not.toContain('close');
    for (const [word, verb] of Object.entries(OTHER_WORDS)) {
      expect(Object.keys(VERBS)).toContain(verb);
      expect([...Object.keys(VERBS), ...Object.keys(ALIASES)]).not.toContain(word);
    }
  });

  test('of what the system refuses has no stack; a fault of the command is thrown', () => {
    const error = Object.assign(new Error('ENOENT: x'), { code: 'ENOENT', syscall: 'open' });
    expect(reportOn(error, [], HELP)).toEqual({ text: 'auto-terminal: ENOENT: x\n', exitCode: 1 });
    expect(() => reportOn(new TypeError('a fault'), [], HELP)).toThrow('a fault');
  });

  test.each([
    [['ls', '-o', 'json'], true],
    [['ls', '-ojson'], true],
    [['ls', '--output', 'ndjson'], true],
    [['ls', '--output=ndjson'], true],
    [['ls', '-o', 'table'], false],
    [['search', 'json'], false],
    [['exec', 'x', '--', 'kubectl', '-o', 'json'], false],
    [['ls', '-o'], false],
  ])('%j wants JSON: %s', (args, wants) => {
    expect(wantsJson(args)).toBe(wants);
  });
});

describe('a wait in one terminal', () => {
  const timeoutMs = 5_000;

  test('is asked for by its events and options', () => {
    expect(isOfOne({ until: ['failed', 'exited'] })).toBe(false);
    expect(isOfOne({ until: ['idle'], mode: 'all' })).toBe(false);
    for (const until of ['command', 'prompt', 'exit', 'quiet', 'text'])
      expect(isOfOne({ until: [until] })).toBe(true);
    expect(isOfOne({ text: 'x' })).toBe(true);
  });

  test.each([
    [
      { until: ['command'], since: 'c' },
      { until: 'command', since: 'c' },
    ],
    [
      { until: ['quiet'], quietFor: 0.5 },
      { until: 'idle', idleMs: 500 },
    ],
    [
      { text: 'x', echo: true },
      { until: 'text', text: 'x', echo: true },
    ],
    [
      { until: ['text'], regex: 'x+' },
      { until: 'text', regex: 'x+' },
    ],
  ])('%j asks the service for %j', (options, body) => {
    expect(JSON.parse(JSON.stringify(bodyOf({ ...options, timeoutMs })))).toEqual({ ...body, timeoutMs });
  });

  test.each([
    [{ until: ['text'] }],
    [{ until: ['text'], text: 'x', regex: 'x' }],
    [{ until: ['exit'], text: 'x' }],
    [{ until: ['exit', 'prompt'] }],
    [{ until: ['exit', 'failed'] }],
    [{ until: ['idle'], since: 'c' }],
    [{ until: ['exit'], mode: 'all' }],
    [{ until: ['exit'], seen: ['x'] }],
    [{ until: ['exit'], echo: true }],
    [{ until: ['exit'], quietFor: 1 }],
  ])('%j is refused', (options) => {
    expect(() => bodyOf({ ...options, timeoutMs })).toThrow(expect.objectContaining({ exitCode: 2 }));
  });
});

test.each(Object.entries(FLEET_ERRORS))('advice on %s is in words of the command', (code, error) => {
  expect(adviceOn({ code, ...error }) ?? '').not.toMatch(/\b(?:GET|POST|PUT|PATCH|DELETE) \//);
});
