import { describe, expect, it } from 'vitest';
import { isNews, type Looks, newsOf, withLook, withoutGone } from '../../dashboard/src/looked/looks.js';
import { rowOfCommand, type ShownLine } from '../../dashboard/src/terminal/command-row.js';
import type { Command, TerminalView } from '../../src/client/browser.js';

const view = (part: Partial<TerminalView>): TerminalView =>
  ({
    ...{ id: 'term_a', status: 'running', command: null, agent: null, agentStatus: null, agentSince: null },
    ...part,
  }) as TerminalView;
const command = (startedAt: number, endedAt: number | null, exitCode: number | null = 0): Command =>
  ({ id: `cmd_${startedAt}`, commandLine: 'make', startedAt, endedAt, exitCode }) as Command;
const LOOKS: Looks = { begun: 100, of: { term_a: { at: 200, cursor: 'x' } } };

describe('news of a terminal', () => {
  it('is a command that has ended, an exit, and an agent that has stopped, since the last look', () => {
    expect(isNews(view({ command: command(150, 190) }), LOOKS)).toBe(false);
    expect(isNews(view({ command: command(150, 210) }), LOOKS)).toBe(true);
    expect(isNews(view({ command: command(250, null) }), LOOKS)).toBe(false);
    expect(isNews(view({ status: 'exited', exitedAt: 201 }), LOOKS)).toBe(true);
    expect(isNews(view({ agentStatus: 'waiting', agentSince: 201 }), LOOKS)).toBe(true);
    expect(isNews(view({ agentStatus: 'idle', agentSince: 201 }), LOOKS)).toBe(true);
    expect(isNews(view({ agentStatus: 'working', agentSince: 201 }), LOOKS)).toBe(false);
    expect(isNews(view({ agentStatus: 'waiting', agentSince: null }), LOOKS)).toBe(false);
  });

  it('of a terminal at which nobody has looked begins with the first look at the dashboard', () => {
    expect(isNews(view({ id: 'term_b', command: command(80, 90) }), LOOKS)).toBe(false);
    expect(isNews(view({ id: 'term_b', command: command(80, 101) }), LOOKS)).toBe(true);
  });

  it('is over with a look, which keeps where the output ended until that is known anew', () => {
    const looks = withLook(LOOKS, 'term_a', { at: 300 });
    expect(isNews(view({ command: command(150, 210) }), looks)).toBe(false);
    expect(looks.of.term_a).toEqual({ at: 300, cursor: 'x' });
  });

  it('is forgotten with its terminal', () => {
    expect(withoutGone(LOOKS, () => true)).toBe(LOOKS);
    expect(withoutGone(LOOKS, () => false).of).toEqual({});
  });

  it('is told in words, without what happens while somebody looks', () => {
    const commands = [
      command(390, null),
      command(250, null),
      command(260, 280, 2),
      command(150, 220),
      command(150, 395),
      command(10, 20),
    ];
    const between = { since: 200, until: 300 };
    expect(newsOf(view({}), commands, between)).toEqual(['2 commands ended, 1 failed', '1 command began']);
    expect(newsOf(view({ agentStatus: 'waiting', agentSince: 250 }), [], between)).toEqual([
      'its agent waits',
    ]);
    expect(newsOf(view({ status: 'exited', exitedAt: 250 }), [], between)).toEqual(['it has exited']);
    expect(newsOf(view({ status: 'exited', exitedAt: 350 }), [], between)).toEqual([]);
    expect(newsOf(undefined, [], between)).toEqual([]);
  });
});

describe('the row of a command', () => {
  const LINES: ShownLine[] = [
    { row: 0, text: '$ make all' },
    { row: 1, text: 'done' },
    { row: 2, text: '$ make all   ' },
    { row: 4, text: '$ git commit -m "one' },
  ];

  it('is that of the line which ends with it, counted from the newest', () => {
    expect(rowOfCommand(LINES, 'make all', 0)).toBe(2);
    expect(rowOfCommand(LINES, 'make all', 1)).toBe(0);
    expect(rowOfCommand(LINES, 'make all', 2)).toBeUndefined();
    expect(rowOfCommand(LINES, 'git commit -m "one\ntwo"', 0)).toBe(4);
    expect(rowOfCommand(LINES, ' ', 0)).toBeUndefined();
  });
});
