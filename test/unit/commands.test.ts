import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CommandChange } from '#dist/actors/commands/commands.js';
import { CommandsByHand } from '../support/commands-by-hand.js';
import { Telling } from '../support/marks.js';

let rig: CommandsByHand;
beforeEach(async () => {
  rig = await CommandsByHand.open();
});
afterEach(async () => {
  vi.useRealTimers();
  await rig.close();
});

describe('commands', () => {
  it('are announced, counted and sent to followers, the end of the terminal last', () => {
    rig.take('a');
    const told: CommandChange[] = [];
    rig.commands.follow('a', (change) => void told.push(change));
    const telling = new Telling();
    rig.tell('a', [...telling.run('true'), ...telling.run('false', 1), ...telling.run('exec sh', null)]);
    rig.tell('a', [...telling.prompt(), ...telling.begin('exit 9')]);
    rig.exit('a');
    rig.remove('a');
    const kinds = told.map((change) =>
      'command' in change ? `${change.kind} ${change.command.commandLine}` : change.kind,
    );
    expect(kinds).toEqual([
      ...['prompt', 'started true', 'finished true'],
      ...['prompt', 'started false', 'finished false'],
      ...['prompt', 'started exec sh', 'finished exec sh'],
      ...['prompt', 'started exit 9', 'finished exit 9', 'gone'],
    ]);
    const tellings = told.flatMap((change) => ('command' in change ? change.command : []));
    expect(rig.announced).toEqual(tellings.map((command) => ({ type: 'command', id: 'a', command })));
    expect(rig.commands.counts).toEqual({ started: 4, succeeded: 1, failed: 2, unknown: 1 });
  });

  it('are not sent to a follower that left, nor to one that began because of the change', () => {
    rig.take('a');
    const told: string[] = [];
    const telling = new Telling();
    rig.commands.follow('a', () => {});
    const leave = rig.commands.follow('a', ({ kind }) => {
      told.push(`first: ${kind}`);
      leave();
      rig.commands.follow('a', (change) => void told.push(`second: ${change.kind}`));
    });
    rig.tell('a', telling.prompt());
    rig.tell('a', telling.begin('ls'));
    expect(told).toEqual(['first: prompt', 'second: started']);
  });

  it('of an exited terminal are reported as gone to a new follower', async () => {
    rig.take('a');
    rig.exit('a');
    const told: string[] = [];
    rig.commands.follow('a', ({ kind }) => void told.push(kind));
    expect(told).toEqual([]);
    await vi.waitFor(() => expect(told).toEqual(['gone']));
  });

  it('stay for as long as their exited terminal, and no longer', async () => {
    rig.take('a');
    const telling = new Telling();
    rig.tell('a', [...telling.prompt(), ...telling.begin('exit 9')]);
    rig.exit('a');
    expect(rig.commands.list('a', 5).commands).toMatchObject([{ exitCode: 9, endedAt: expect.any(Number) }]);
    expect(rig.commands.shellStatus('a')).toMatchObject({ atPrompt: false, running: null });
    // The terminal is killed while its silent shell waits for input.
    rig.take('b');
    rig.tell('b', new Telling().prompt());
    rig.exit('b');
    expect(rig.commands.shellStatus('b')).toMatchObject({ atPrompt: false, isReady: true });
    rig.remove('a');
    const asks = [
      () => rig.commands.list('a', 5),
      () => rig.commands.shellStatus('a'),
      () => rig.commands.follow('a', () => {}),
    ];
    for (const ask of asks) expect(ask).toThrow('Terminal not found');
    const output = rig.commands.output('a', 'cmd_5k', { raw: false, maxBytes: 9 });
    await expect(output).rejects.toMatchObject({ code: 'terminal-not-found' });
  });

  it('return their output by the cursors, a running command up to now', async () => {
    rig.take('a');
    const telling = new Telling();
    rig.tell('a', [...telling.run('ls'), ...telling.prompt(), ...telling.begin('tail -f')]);
    const [running, ended] = rig.commands.list('a', 5).commands;
    const query = { raw: true, maxBytes: 77 };
    expect(await rig.commands.output('a', ended!.id, query)).toEqual({
      id: ended!.id,
      raw: 'a after-210 to before-300 true 77',
      truncated: false,
    });
    expect((await rig.commands.output('a', running!.id, query)).raw).toBe('a after-610 to undefined true 77');
    // It ends while it is read, as the shard reports before it answers.
    rig.beforeRead = () => {
      rig.beforeRead = () => {};
      rig.tell('a', telling.prompt());
    };
    const { raw } = await rig.commands.output('a', running!.id, query);
    expect(raw).toMatch(/^a after-610 to before-/);
    for (const id of [
      'cmd_0',
      'cmd_05k',
      'CMD_5K',
      'cmd_',
      '',
      'x'.repeat(9_999),
      `cmd_5k${' '.repeat(9_999)}`,
    ]) {
      await expect(rig.commands.output('a', id, query)).rejects.toMatchObject({ code: 'command-not-found' });
    }
  });
});

describe('the standing of a shell', () => {
  it('is that of the expected shell until it asks for input silently, and again once it reports anything', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    rig.take('a', { createdAt: Date.now() });
    const status = {
      integration: 'bash',
      ...{ isReady: false, atPrompt: false, promptAt: null, running: null, last: null, lastEndAt: null },
      ...{ isContinued: false, takesRuns: false, hasDraft: false },
    };
    expect(rig.commands.shellStatus('a')).toEqual(status);
    // The wall clock may be changed.
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(rig.commands.shellStatus('a')).toEqual(status);
    rig.commands.markSilent('a');
    expect(rig.commands.shellStatus('a').integration).toBe('none');
    expect(rig.commands.list('a', 1)).toEqual({ integration: 'none', commands: [] });
    const telling = new Telling();
    rig.tell('a', telling.prompt());
    expect(rig.commands.shellStatus('a')).toMatchObject({
      integration: 'bash',
      isReady: true,
      atPrompt: true,
    });
    expect(rig.commands.shellStatus('a').promptAt).toBe(1_020);
    rig.tell('a', telling.begin('ls'));
    const { running, atPrompt, promptAt } = rig.commands.shellStatus('a');
    expect([running?.commandLine, atPrompt, promptAt]).toEqual(['ls', false, 1_020]);
    rig.tell('a', [...telling.end(0), ...telling.prompt()]);
    expect(rig.commands.shellStatus('a')).toMatchObject({ running: null, last: { commandLine: 'ls' } });
  });

  it('is none if no shell is expected, even if commands are reported by tokens', async () => {
    const meta = { marks: { shell: null, nonce: 'secret' } };
    expect(rig.take('a', meta)).toEqual({ nonce: 'secret', state: undefined });
    await rig.commands.expectMarks('a', 'token', { commandLine: 'make all' });
    // Another shard also expects the token until it is reported.
    const { state } = rig.take('a');
    expect(state).toMatchObject({ position: 0, tokens: ['token'] });
    const marks = new Telling({ state: state! }).runByToken('token', 3);
    rig.tell('a', marks.slice(0, 1));
    expect(rig.take('a').state?.tokens).toEqual(['token']);
    rig.tell('a', marks.slice(1));
    expect(rig.take('a').state?.tokens).toEqual([]);
    const last = { commandLine: 'make all', exitCode: 3 };
    expect(rig.commands.shellStatus('a')).toMatchObject({ integration: 'none', last });
  });
});

describe('output of commands that failed', () => {
  it('is indexed (its end), unless the terminal or the setting excludes it', async () => {
    rig.take('a');
    rig.take('quiet', { index: false });
    const telling = new Telling();
    rig.tell('a', [...telling.run('good'), ...telling.run('bad', 1), ...telling.run('exec sh', null)]);
    rig.tell('quiet', new Telling().run('bad', 1));
    await rig.commands.settled();
    rig.isIndexing = false;
    rig.tell('a', telling.run('bad', 1));
    await rig.commands.settled();
    expect(rig.failed).toEqual(['a after-610 to before-700 false 65536']);
  });
});
