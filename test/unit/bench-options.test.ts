import { describe, expect, it } from 'vitest';
import { type BenchOptions, helpText, parseOptions, UsageError } from '../../bench/options.js';

const CASES = ['flood', 'latency', 'churn'];

function parsed(...args: string[]): BenchOptions {
  const options = parseOptions(args, CASES);
  if (options === 'help') throw new Error('help was not asked for');
  return options;
}

/** Returns the message with which the arguments are refused. */
function refusal(...args: string[]): string {
  try {
    parseOptions(args, CASES);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error(`${args.join(' ')} was not refused`);
}

describe('the options of the bench', () => {
  it('are all cases at full size without arguments', () => {
    expect(parsed()).toEqual({
      ...{ only: CASES, rounds: 5, scale: 1, peers: new Set(), minutes: 2, seed: 1 },
      agents: { count: 200, perSecond: 10 },
      ...{ json: false, saveBaseline: false, results: expect.stringMatching(/\/bench\/results$/) },
    });
  });

  it('are taken in both spellings of a value', () => {
    expect(parsed('--only', 'churn,flood,churn', '--rounds=3', '--scale', '0.1', '--json')).toMatchObject({
      ...{ only: ['churn', 'flood'], rounds: 3, scale: 0.1, json: true },
    });
    expect(parsed('--agents', '800@2', '--minutes', '0.5', '--seed=7', '--results', '/r')).toMatchObject({
      ...{ agents: { count: 800, perSecond: 2 }, minutes: 0.5, seed: 7, results: '/r' },
    });
    expect(parsed('--peers', 'vibetunnel', '--save-baseline')).toMatchObject({
      ...{ peers: new Set(['vibetunnel']), saveBaseline: true },
    });
  });

  it('refuse an unknown case, peer or option, and name those that exist', () => {
    expect(refusal('--only', 'flood,fluud')).toBe('unknown case fluud; the cases are flood, latency, churn');
    expect(refusal('--only', 'constructor')).toBe(
      'unknown case constructor; the cases are flood, latency, churn',
    );
    expect(refusal('--peers', 'screen')).toBe('unknown peer screen; the peers are vibetunnel');
    expect(refusal('--round', '3')).toMatch(
      /^unknown option --round; the options are --only, --rounds, .*--help$/,
    );
    expect(refusal('--constructor')).toMatch(/^unknown option --constructor; the options are /);
    expect(refusal('-x')).toMatch(/^unknown option -x; the options are /);
    expect(refusal('flood')).toBe('unexpected argument flood; name cases with --only');
  });

  it('refuse a value that is missing, too much, or no such number', () => {
    expect(refusal('--only')).toBe('--only needs a value: <names>');
    expect(refusal('--only', ',')).toBe('--only names no case; the cases are flood, latency, churn');
    expect(refusal('--json=yes')).toBe('--json takes no value');
    expect(refusal('--rounds', '2.5')).toBe('--rounds must be a whole number, not 2.5');
    expect(refusal('--rounds', '0')).toBe('--rounds must be a positive number, not 0');
    expect(refusal('--scale', 'half')).toBe('--scale must be a positive number, not half');
    expect(refusal('--minutes', 'Infinity')).toBe('--minutes must be a positive number, not Infinity');
    expect(refusal('--agents', '800')).toBe('--agents must be like 800@2, not 800');
    expect(refusal('--agents', '0@2')).toBe('--agents must be a positive number, not 0');
  });

  it('refuse to keep figures of other sizes than the full ones', () => {
    expect(refusal('--save-baseline', '--scale', '0.5')).toBe('--save-baseline needs --scale 1');
  });

  it('ask for help, which has each option and a line for each case', () => {
    expect(parseOptions(['--only', 'flood', '--help'], CASES)).toBe('help');
    const help = helpText({ flood: { about: 'much output' }, churn: { about: 'all at once' } });
    expect(help).toMatch(/^Usage: npm run bench -- \[options\]$/m);
    expect(help).toMatch(/^ {2}--rounds <n> +rounds .*\(5\)$/m);
    expect(help).toMatch(/^ {2}--json {2,}print JSON/m);
    expect(help).toMatch(/^ {2}flood {2}much output\n {2}churn {2}all at once$/m);
    expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
  });
});
