import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CommandMark } from '#dist/workers/shard/stages/command-plan.js';
import { CommandsByHand } from '../support/commands-by-hand.js';
import { Telling } from '../support/marks.js';

let rig: CommandsByHand;
beforeEach(async () => {
  rig = await CommandsByHand.open();
});
afterEach(() => rig.close());

const fail = () => {
  throw new Error('disk full');
};

describe('the stored commands', () => {
  it('survive a crash: ended and running commands, and the place where a shard goes on', async () => {
    for (const id of ['a', 'b']) rig.take(id);
    const telling = new Telling();
    rig.tell('a', [...telling.run('one', 3), ...telling.prompt(), ...telling.begin('two')]);
    rig.tell('b', new Telling().run('other'));
    const [a, b] = [rig.commands.list('a', 9).commands, rig.commands.list('b', 9).commands];
    const status = rig.commands.shellStatus('a');
    await rig.restart();
    const plan = rig.take('a');
    expect(plan).toMatchObject({ nonce: 'secret', state: { position: 610, levels: [{ pid: 7 }] } });
    rig.take('b');
    expect(rig.commands.shellStatus('a')).toEqual(status);
    expect(rig.commands.list('a', 9).commands).toEqual(a);
    rig.tell('a', new Telling({ state: plan.state! }).end(4));
    expect(rig.commands.shellStatus('a').last).toMatchObject({ commandLine: 'two', exitCode: 4 });
    expect(rig.commands.list('b', 9).commands).toEqual(b);
  });

  it('are written all together or not at all, after whichever write the crash comes', async () => {
    const pieces = (telling: Telling) =>
      [1, 2, 3].flatMap((round) => {
        const [first, prompt] = [telling.run(`first ${round}`), telling.prompt()];
        return [[...first, ...prompt, ...telling.begin(`then ${round}`)], telling.end(0)];
      });
    const expected = [3, 2, 1].flatMap((round) => [`then ${round}`, `first ${round}`]);
    const lost: number[] = [];
    for (let written = 0; written <= 6; written++) {
      const id = `crash after ${written}`;
      rig.take(id);
      for (const [index, marks] of pieces(new Telling()).entries()) {
        if (index === written) rig.beforeWrite = fail;
        rig.tell(id, marks);
        if (index < written) await rig.kept(id, marks);
      }
      await rig.crash();
      rig.beforeWrite = () => {};
      const position = rig.take(id).state?.position ?? 0;
      lost.push(6 - rig.lines(id).length);
      // The marks that a shard finds again.
      const marks = pieces(new Telling()).flat();
      rig.tell(
        id,
        marks.filter(({ state }) => state.position > position),
      );
      expect(rig.lines(id)).toEqual(expected);
      expect(rig.commands.shellStatus(id)).toMatchObject({ running: null, last: { commandLine: 'then 3' } });
    }
    expect(lost).toEqual([6, 4, 4, 2, 2, 0, 0]);
  });

  it('are deleted with their terminal, or at the next start', async () => {
    for (const id of ['a', 'b', 'c']) {
      rig.take(id);
      rig.tell(id, new Telling().run(`in ${id}`));
    }
    rig.remove('a');
    await rig.restart();
    rig.take('b');
    rig.commands.keepCommandsOf(['b']);
    await rig.restart();
    const plans = ['a', 'b', 'c'].map((id) => rig.take(id));
    expect(plans.map(({ state }) => state !== undefined)).toEqual([false, true, false]);
    expect(['a', 'b', 'c'].map((id) => rig.lines(id))).toEqual([[], ['in b'], []]);
  });

  it('are written in few transactions, however many marks come', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `term_${index}`);
    const tellings = new Map(ids.map((id) => [id, new Telling()]));
    for (const id of ids) rig.take(id);
    let marks: CommandMark[] = [];
    for (let round = 0; round < 20; round++) {
      for (const [id, telling] of tellings) {
        marks = telling.run(`round ${round}`);
        rig.tell(id, marks);
      }
    }
    await rig.kept(ids.at(-1)!, marks);
    expect([rig.writes, rig.written]).toEqual([1, 50 * (20 + 1)]);
    // A record written once is not written again.
    rig.tell(ids[0]!, tellings.get(ids[0]!)!.run('one more'));
    await rig.commands.close();
    expect([rig.writes, rig.written]).toEqual([2, 50 * (20 + 1) + 2]);
    await rig.crash();
    for (const id of ids) rig.take(id);
    expect(ids.slice(1).every((id) => rig.lines(id).length === 20)).toBe(true);
  });

  it('are kept in memory while they cannot be written, and written later; one line logs it', async () => {
    rig.take('a');
    const telling = new Telling();
    rig.beforeWrite = fail;
    rig.tell('a', telling.run('one', 3));
    await vi.waitFor(() => expect(rig.commands.figures().failedWrites).toBe(1));
    const marks = telling.run('two');
    rig.tell('a', marks);
    await vi.waitFor(() => expect(rig.commands.figures().failedWrites).toBe(2), 5_000);
    expect(rig.lines('a')).toEqual(['two', 'one']);
    expect(rig.logged).toEqual(['commands could not be stored']);
    rig.beforeWrite = () => {};
    await rig.kept('a', marks);
    rig.beforeWrite = fail;
    rig.tell('a', telling.run('three'));
    await vi.waitFor(() => expect(rig.logged.length).toBe(2), 5_000);
    rig.beforeWrite = () => {};
    await rig.restart();
    rig.take('a');
    expect(rig.lines('a')).toEqual(['three', 'two', 'one']);
  });

  it('are not written for a terminal that is removed before the write, or while it fails', async () => {
    for (const id of ['a', 'b']) rig.take(id);
    rig.tell('a', new Telling().run('one'));
    rig.remove('a');
    await vi.waitFor(() => expect(rig.writes).toBe(1));
    rig.tell('b', new Telling().run('one'));
    rig.beforeWrite = () => {
      if (rig.terminals.has('b')) rig.remove('b');
      fail();
    };
    await vi.waitFor(() => expect(rig.commands.figures().failedWrites).toBe(1));
    rig.beforeWrite = () => {};
    await rig.restart();
    for (const id of ['a', 'b']) expect([rig.take(id).state, rig.lines(id)]).toEqual([undefined, []]);
  });
});
