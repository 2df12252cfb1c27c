import { describe, expect, it } from 'vitest';
import { CommandLog } from '#dist/actors/commands/command-log.js';
import type { Command } from '#dist/contract/command.js';
import { MAX_COMMAND_LINE_CHARS } from '#dist/contract/limits.js';
import { linesOf, nothingKept, reopened, take } from '../support/command-logs.js';
import { Telling } from '../support/marks.js';

describe('the commands of a terminal', () => {
  it('are reported as they begin and end', () => {
    const log = nothingKept();
    const changes = take(log, new Telling().run('make', 2));
    const running: Command = {
      id: 'cmd_5k',
      commandLine: 'make',
      cwd: '/home',
      startedAt: 1_030,
      endedAt: null,
      durationMs: null,
      exitCode: null,
      typedBy: null,
      outputCursor: { start: 'after-210', end: null },
    };
    const ended: Command = {
      ...running,
      ...{ endedAt: 1_040, durationMs: 10, exitCode: 2 },
      outputCursor: { start: 'after-210', end: 'before-300' },
    };
    expect(changes).toEqual([
      { kind: 'prompt', hrMs: 1_020 },
      { kind: 'started', command: running, hrMs: 1_030 },
      { kind: 'finished', command: ended, hrMs: 1_040 },
    ]);
    expect(log.last).toEqual(ended);
    expect(log.find('cmd_5k')).toEqual(ended);
  });

  it('are listed newest first, the running one included, no more than asked for', () => {
    const [log, telling] = [nothingKept(), new Telling()];
    take(log, [...telling.run('one'), ...telling.run('two'), ...telling.prompt(), ...telling.begin('three')]);
    expect(linesOf(log.list(50))).toEqual(['three', 'two', 'one']);
    expect(linesOf(log.list(2))).toEqual(['three', 'two']);
    expect(log.running?.commandLine).toBe('three');
    expect(log.last?.commandLine).toBe('two');
    expect(log.openCount).toBe(1);
  });

  it('of a shell within a shell run inside the command that started it', () => {
    const [log, telling] = [nothingKept(), new Telling()];
    take(log, [...telling.prompt(), ...telling.begin('bash'), ...telling.run('inner', 1, 8)]);
    expect([log.running?.commandLine, log.last?.commandLine]).toEqual(['bash', 'inner']);
    take(log, [...telling.prompt(8), ...telling.begin('sleep 9', 8)]);
    expect(log.running?.commandLine).toBe('sleep 9');
    // The outer shell reports an end, so the inner shell has ended with the status of its last command.
    const changes = take(log, telling.end(7));
    expect(changes).toMatchObject([
      { kind: 'finished', command: { commandLine: 'sleep 9', exitCode: 7 } },
      { kind: 'finished', command: { commandLine: 'bash', exitCode: 7 } },
    ]);
    expect(linesOf(log.list(50))).toEqual(['sleep 9', 'inner', 'bash']);
    expect(log.last?.commandLine).toBe('bash');
    expect(log.running).toBeNull();
  });

  it('of a replaced shell end without an exit code', () => {
    const [log, telling] = [nothingKept(), new Telling()];
    take(log, [...telling.prompt(), ...telling.begin('exec bash')]);
    expect(take(log, telling.prompt())).toMatchObject([
      { kind: 'finished', command: { commandLine: 'exec bash', exitCode: null } },
      { kind: 'prompt' },
    ]);
  });

  it('that are reported again have no effect, whatever a second shard finds in the replay', () => {
    const [log, telling] = [nothingKept(), new Telling()];
    const marks = [...telling.run('one', 3), ...telling.prompt(), ...telling.begin('two')];
    take(log, marks);
    const listed = log.list(50);
    const later = marks.map((mark) => ({ ...mark, at: mark.at + 9_000, hrMs: mark.hrMs + 9_000 }));
    expect(take(log, later)).toEqual([]);
    expect(log.list(50)).toEqual(listed);
    expect(take(log, telling.end(4))).toMatchObject([{ kind: 'finished', command: { exitCode: 4 } }]);
  });

  it('have a duration by the monotonic clock', () => {
    const [log, telling] = [nothingKept(), new Telling()];
    take(log, [...telling.prompt(), ...telling.begin('ntpdate')]);
    const [end] = telling.end(0);
    take(log, [{ ...end!, at: 0 }]);
    expect(log.last).toMatchObject({ startedAt: 1_030, endedAt: 1_040, durationMs: 10 });
  });

  it('are reported by a shell; a command typed with a token does not show that the shell reports', () => {
    const log = nothingKept();
    log.expect('broken off', { commandLine: 'ls' });
    log.expect('token', { commandLine: 'make all' });
    take(log, new Telling({ state: log.plan! }).runByToken('token', 0).slice(0, 1));
    expect([log.running?.id, log.running?.commandLine, log.isTold]).toEqual(['cmd_0', 'make all', false]);
    take(log, new Telling({ state: log.state! }).prompt());
    expect(log.isTold).toBe(true);
  });

  it('are cut if their line is too long', () => {
    const [log, telling] = [nothingKept(), new Telling()];
    take(log, telling.run('x'.repeat(MAX_COMMAND_LINE_CHARS + 1)));
    expect(log.last?.commandLine.length).toBe(MAX_COMMAND_LINE_CHARS);
  });
});

describe('a terminal whose program ends', () => {
  it('has no command open: the outermost has its exit code, those inside have none', () => {
    const [log, telling] = [nothingKept(), new Telling()];
    take(log, [...telling.prompt(), ...telling.begin('exec bash'), ...telling.prompt(8)]);
    take(log, telling.begin('kill 0', 8));
    expect(log.exit(7, 5_000)).toMatchObject([
      { kind: 'finished', command: { commandLine: 'kill 0', exitCode: null, endedAt: 5_000 } },
      { kind: 'finished', command: { commandLine: 'exec bash', exitCode: 7, endedAt: 5_000 } },
    ]);
    expect([log.running, log.openCount]).toEqual([null, 0]);
    expect(log.last?.commandLine).toBe('exec bash');
  });

  it('and whose shard reports the end later is known to the byte', () => {
    const [log, telling] = [nothingKept(), new Telling()];
    take(log, [...telling.prompt(), ...telling.begin('exit 3')]);
    log.exit(3, 5_000);
    expect(log.last?.outputCursor.end).toBeNull();
    expect(take(log, telling.end(3))).toEqual([]);
    expect(log.last).toMatchObject({ exitCode: 3, endedAt: 5_000, outputCursor: { end: 'before-300' } });
    expect(log.list(5)).toEqual([log.last]);
  });

  it('and whose shard reports the end during the write is written again', () => {
    const [log, telling] = [nothingKept(), new Telling()];
    take(log, [...telling.prompt(), ...telling.begin('exit 3')]);
    log.exit(3, 5_000);
    const writing = log.changes();
    take(log, telling.end(3));
    log.stored(writing);
    const again = log.changes();
    expect(again.put).toEqual([log.last]);
    log.stored(again);
    expect(log.changes().put).toEqual([]);
  });

  it('and whose shard has already reported the end has it once', () => {
    const [log, telling] = [nothingKept(), new Telling()];
    take(log, [...telling.prompt(), ...telling.begin('exit 3'), ...telling.end(3)]);
    expect(log.exit(3, 5_000)).toEqual([]);
    expect(linesOf(log.list(5))).toEqual(['exit 3']);
  });
});

describe('a log that is read again', () => {
  it('goes on where it ended', () => {
    const telling = new Telling();
    const before = nothingKept();
    take(before, [...telling.run('one', 3), ...telling.prompt(), ...telling.begin('two')]);
    const log = reopened(before);
    expect(log.state).toEqual(before.state);
    expect(log.list(50)).toEqual(before.list(50));
    expect([log.promptAt, log.atPrompt, log.isTold]).toEqual([before.promptAt, false, true]);
    expect([log.last, log.running]).toEqual([before.last, before.running]);
    expect(take(log, telling.end(4))).toMatchObject([
      { command: { commandLine: 'two', exitCode: 4, startedAt: before.running?.startedAt } },
    ]);
  });

  it('survives a command that cannot be read', () => {
    const telling = new Telling();
    const before = nothingKept();
    take(before, [...telling.run('one'), ...telling.run('two')]);
    const damaged = before.list(1)[0]!;
    const kept = before.kept();
    const read = (id: string) => (id === damaged.id ? undefined : before.find(id));
    const log = new CommandLog({ kept, ended: before.list(50).map(({ id }) => id), read });
    expect([linesOf(log.list(50)), log.last, log.find(damaged.id)]).toEqual([['one'], null, undefined]);
    take(log, telling.run('three'));
    expect(linesOf(log.list(50))).toEqual(['three', 'one']);
  });

  it('replaces its record of a command that is reported again', () => {
    const telling = new Telling();
    const marks = [...telling.run('one', 3)];
    const before = nothingKept();
    take(before, marks);
    const ended = before.list(1);
    // The record of the command's shell was damaged, and the replay begins before the command.
    const log = new CommandLog({ ended: ended.map(({ id }) => id), read: () => ended[0] });
    take(log, marks.slice(0, 2));
    expect(linesOf(log.list(5))).toEqual(['one']);
    expect(log.running?.commandLine).toBe('one');
    take(log, marks.slice(2));
    expect(log.list(5)).toMatchObject([{ commandLine: 'one', exitCode: 3 }]);
  });
});
