import { describe, expect, it } from 'vitest';
import { CommandLog } from '#dist/actors/commands/command-log.js';
import { EndedCommands } from '#dist/actors/commands/ended-commands.js';
import type { Command } from '#dist/contract/command.js';
import { MAX_COMMAND_LINE_CHARS, MAX_COMMAND_LOG_CHARS, MAX_COMMANDS } from '#dist/contract/limits.js';
import { linesOf, nothingKept, reopened, take } from '../support/command-logs.js';
import { Telling } from '../support/marks.js';

const COMMAND: Command = {
  ...{ id: 'cmd_1', commandLine: '', cwd: '/', typedBy: null, startedAt: 1, endedAt: 2, durationMs: 1 },
  ...{ exitCode: 0, outputCursor: { start: 'a', end: 'b' } },
};

describe('a log is bounded', () => {
  it('in the number of commands', () => {
    const [log, telling] = [nothingKept(), new Telling()];
    for (let index = 0; index < MAX_COMMANDS + 5; index++) take(log, telling.run(`command ${index}`));
    const lines = linesOf(log.list(2 * MAX_COMMANDS));
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      MAX_COMMANDS,
      `command ${MAX_COMMANDS + 4}`,
      'command 5',
    ]);
    expect([log.changes().remove.length, log.changes().remove.length]).toEqual([5, 0]);
  });

  it('in characters, over a restart', () => {
    const telling = new Telling();
    const length = MAX_COMMAND_LINE_CHARS;
    const fit = Math.floor(MAX_COMMAND_LOG_CHARS / (length + '/home'.length));
    let log = nothingKept();
    for (let index = 0; index < fit; index++) take(log, telling.run('x'.repeat(length)));
    expect(log.list(MAX_COMMANDS).length).toBe(fit);
    log = reopened(log);
    take(log, telling.run('y'.repeat(length)));
    expect(log.list(MAX_COMMANDS).length).toBe(fit);
    expect(log.last?.commandLine[0]).toBe('y');
  });

  it('in the tokens that never come', () => {
    const log = nothingKept();
    for (let index = 0; index < 100; index++) log.expect(`${index}`, { commandLine: `line ${index}` });
    const tokens = log.plan?.tokens;
    expect([tokens?.length, tokens?.[0], tokens?.at(-1)]).toEqual([64, '36', '99']);
    // The command lines of dropped tokens are not kept either.
    const telling = new Telling({ state: { ...log.plan!, tokens: ['35', '36'] } });
    take(log, [...telling.runByToken('35', 0), ...telling.runByToken('36', 0)]);
    expect(log.list(2).map(({ commandLine }) => commandLine)).toEqual(['line 36', '']);
  });

  it('in memory: stored commands are read when they are asked for', () => {
    const telling = new Telling();
    const reads: string[] = [];
    const stored = new Map<string, Command>();
    const read = (id: string) => {
      reads.push(id);
      return stored.get(id);
    };
    const log = new CommandLog({ ended: [], read });
    take(log, [...telling.run('one'), ...telling.run('two')]);
    const changes = log.changes();
    take(log, telling.run('three'));
    for (const command of changes.put) stored.set(command.id, command);
    log.stored(changes);
    expect(reads).toEqual([]);
    expect(linesOf(log.list(50))).toEqual(['three', 'two', 'one']);
    expect(reads.length).toBe(2);
    expect(linesOf(log.changes().put)).toEqual(['three']);
  });

  it('in reads: whether a run has commands is known without a look at those of others', () => {
    const stored = new Map<string, Command>();
    let reads = 0;
    const parts = (ids: readonly string[]) => ({
      ...{ ids, chars: 0 },
      read: (id: string) => {
        reads++;
        return stored.get(id);
      },
    });
    const store = (ended: EndedCommands) => {
      const changes = ended.changes();
      for (const command of changes.put) stored.set(command.id, command);
      ended.stored(changes);
    };
    const ended = new EndedCommands(parts([]));
    const commands = Array.from({ length: 300 }, (_, n) => ({
      ...COMMAND,
      ...{ id: `cmd_${(n * 100).toString(36)}`, commandLine: `line ${n}` },
      ...(n % 3 !== 0 && { runId: `run_${n % 50}` }),
    }));
    for (const [n, command] of commands.entries()) {
      ended.add(command);
      if (n % 7 === 0) store(ended);
    }
    store(ended);
    const wanted = (id: string) => linesOf(commands.filter(({ runId }) => runId === id));
    reads = 0;
    expect(ended.ofRun('run_new')).toEqual([]);
    expect(reads).toBe(0);
    expect(linesOf(ended.ofRun('run_7'))).toEqual(wanted('run_7'));
    expect(reads).toBe(wanted('run_7').length);
    ended.remove(commands[7]!.id);
    expect(linesOf(ended.ofRun('run_7'))).toEqual(wanted('run_7').slice(1));

    const later = new EndedCommands(parts([...stored.keys()]));
    reads = 0;
    expect(linesOf(later.ofRun('run_8'))).toEqual(wanted('run_8'));
    expect(reads).toBe(stored.size);
    expect(later.ofRun('run_new')).toEqual([]);
    expect(reads).toBe(stored.size);
  });
});
