import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TMUX_COMMAND_DEADLINE_MS } from '#dist/contract/limits.js';
import { eventually, processInfo } from '../support/processes.js';
import { TmuxRig } from '../support/tmux-rig.js';

let rig: TmuxRig;
let server: number;

beforeEach(async () => {
  ({ rig, server } = await TmuxRig.start());
});

afterEach(() => rig.end());

/** More bytes than a screen has, which is 24 lines such as `line 123456`. */
const MORE_THAN_A_SCREEN = 4096;

/** A program that prints files as they are, one after the other, and stays. */
function printing(...files: string[]): string[] {
  return ['/bin/sh', '-c', 'stty raw -echo; cat "$@"; exec sleep 1000', 'sh', ...files];
}

describe('output of panes', () => {
  test('is exact, all 256 bytes of it', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const file = join(rig.folder, 'all');
    await writeFile(file, all);
    const { pane } = await rig.run(...printing(file));
    await eventually('it is there', () => rig.outputOf(pane).length >= 256);
    expect(rig.outputOf(pane)).toEqual(all);
  });

  test('is exact in a flood of three', async () => {
    const floods = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const bytes = randomBytes(2 * 1024 * 1024);
        const file = join(rig.folder, name);
        await writeFile(file, bytes);
        return { bytes, file };
      }),
    );
    const panes = await Promise.all(floods.map(({ file }) => rig.run(...printing(file))));
    for (const [index, { pane }] of panes.entries()) {
      const { bytes } = floods[index]!;
      await eventually('it is there', () => rig.outputOf(pane).length >= bytes.length);
      expect(rig.outputOf(pane).equals(bytes)).toBe(true);
    }
  });

  test('comes before an answer as far as the answer includes it', async () => {
    const { pane } = await rig.run('/bin/sh', '-c', 'i=0; while :; do i=$((i+1)); echo "line $i"; done');
    await eventually('it prints', () => rig.outputOf(pane).includes('line 24'));
    let agreed = 0;
    for (let captures = 0; captures < 40; captures += 1) {
      const rows = await new Promise<string[]>((resolve, reject) => {
        rig.client.run([`capture-pane -p -t %${pane}`], (answer) => {
          if ('fault' in answer) return reject(new Error(answer.fault));
          const [lines = []] = answer.lines;
          const shown = lines.join('\n').trimEnd();
          // The capture shows the output up to exactly this place of the stream, not a byte more or less.
          const printed = rig.endOf(pane, MORE_THAN_A_SCREEN).toString().replaceAll('\r', '').trimEnd();
          if (printed.endsWith(shown)) agreed += 1;
          resolve(lines);
        });
      });
      expect(rows).toHaveLength(24);
    }
    expect(agreed).toBe(40);
  });
});

describe('commands', () => {
  test('are each answered, in order, on one line and on many', async () => {
    const show = (text: string) => `display-message -p ${text}`;
    expect(await rig.client.ask([show('a'), 'set-buffer x', show('b')])).toEqual([['a'], [], ['b']]);
    const many = Array.from({ length: 200 }, (_, index) => `n${index}`);
    for (const text of many) rig.tell([show(text), show(`${text}x`)]);
    await rig.client.ask([show('last')]);
    expect(rig.words('answer')).toEqual(many.map((text) => `${text}\n${text}x`));
  });

  test("end at the first that fails, with tmux's message, and the next are answered as usual", async () => {
    const failing = ['set-buffer -b first 1', 'kill-session -t =nope', 'set-buffer -b third 3'];
    rig.tell(failing);
    rig.tell(['display-message -p next']);
    await expect(rig.client.ask(failing)).rejects.toThrow("can't find session: nope");
    expect(await rig.client.ask(['list-buffers -F "#{buffer_name}"'])).toEqual([['first']]);
    expect(rig.words('answer')).toEqual(["fault: can't find session: nope", 'next']);
  });

  test.each([
    ['is unknown', 'no-such-command', 'parse error: unknown command: no-such-command'],
    ['is no command at all', '}', 'parse error: syntax error'],
    ['has a byte that is none', 'set-buffer "\\7"', 'parse error: invalid octal escape'],
  ])('do not run at all when one of them %s', async (_what, command, words) => {
    await expect(rig.client.ask(['set-buffer -b first 1', command])).rejects.toThrow(words);
    expect(await rig.client.ask(['list-buffers', 'display-message -p next'])).toEqual([[], ['next']]);
  });

  test('are answered beside commands of hooks, of which only failures are reported', async () => {
    await rig.client.ask([
      'set-hook -g after-list-sessions[0] "display-message -p hooked"',
      'set-hook -g after-list-sessions[1] "kill-session -t =of-a-hook"',
    ]);
    const list = 'list-sessions -F "#{session_name}"';
    expect(await rig.client.ask([list, 'display-message -p a', list])).toEqual([['hub'], ['a'], ['hub']]);
    expect(await rig.client.ask(['display-message -p b'])).toEqual([['b']]);
    expect(rig.logged).toContain("tmux client: can't find session: of-a-hook");
  });

  test('are refused if they are empty, or more than a line', async () => {
    for (const wrong of [[], [''], ['list-keys', ' \t'], ['set-buffer a\nkill-server'], ['set-buffer a\0']])
      expect(() => rig.client.run(wrong, () => undefined)).toThrow();
    await expect(rig.client.ask([])).rejects.toThrow('a command for tmux is missing');
    expect(await rig.client.ask(['display-message -p here'])).toEqual([['here']]);
  });

  test('that are more than they seem to be end the client, since their answers would be misattributed', async () => {
    rig.tell(['display-message -p one ; display-message -p two']);
    await rig.closed();
    expect(rig.words('answer')).toEqual(['one']);
    expect(rig.words('closed')).toEqual(['tmux sent an answer to no command']);
  });

  test('have answers with rows that look like the protocol', async () => {
    const rows = ['%exit', '%end 1 2 3', '%error 1 2 1', '%output %0 x', '%begin 1 2 1', '%window-close @0'];
    const { pane } = await rig.run('/bin/sh', '-c', 'printf "%s\\n" "$@"; exec sleep 1000', 'sh', ...rows);
    await eventually('they are printed', () => rig.outputOf(pane).includes('window-close'));
    const [captured = []] = await rig.client.ask([`capture-pane -p -t %${pane}`]);
    expect(captured.slice(0, rows.length)).toEqual(rows);
    expect(rig.words('closed')).toEqual([]);
    expect(rig.words('notice').filter((line) => line.startsWith('%window-close'))).toEqual([]);
  });

  test('may be a megabyte long', async () => {
    await rig.client.ask([`set-buffer -b large -- "${'x'.repeat(1024 * 1024)}"`]);
    expect(await rig.client.ask(['list-buffers -F "#{buffer_size}"'])).toEqual([['1048576']]);
  });
});

describe('a server that hangs', () => {
  test('has its commands fail at their deadline, and confuses no answers after it resumes', async () => {
    const { pane } = await rig.run('cat');
    process.kill(server, 'SIGSTOP');
    const asked = performance.now();
    rig.tell(['display-message -p late', `kill-pane -t %${pane}`]);
    rig.tell(['kill-session -t =late', 'display-message -p never']);
    await eventually('both are given up', () => rig.words('answer').length === 2);
    expect(performance.now() - asked).toBeGreaterThanOrEqual(TMUX_COMMAND_DEADLINE_MS);
    const fault = `fault: no answer within ${TMUX_COMMAND_DEADLINE_MS} ms`;
    expect(rig.words('answer')).toEqual([fault, fault]);
    rig.tell(['display-message -p after']);
    process.kill(server, 'SIGCONT');
    expect(await rig.client.ask(['display-message -p last'])).toEqual([['last']]);
    expect(rig.words('answer')).toEqual([fault, fault, 'after']);
    expect(rig.words('closed')).toEqual([]);
  });

  test('does not keep the client from being closed', async () => {
    process.kill(server, 'SIGSTOP');
    rig.tell(['display-message -p never']);
    rig.client.close();
    await rig.closed();
    expect(rig.told.slice(-2)).toEqual([
      { kind: 'answer', text: 'fault: tmux has ended: the client was closed' },
      { kind: 'closed', reason: 'the client was closed' },
    ]);
    await eventually('the client has gone', () => processInfo(rig.client.pid!) === undefined);
    process.kill(server, 'SIGKILL');
  });
});

describe('the end of', () => {
  test('a server by SIGKILL is reported at once, after the faults of open commands, and once', async () => {
    process.kill(server, 'SIGSTOP');
    rig.tell(['display-message -p never', 'display-message -p never']);
    rig.tell(['display-message -p never']);
    process.kill(server, 'SIGKILL');
    await rig.closed();
    const reason = 'server exited unexpectedly';
    const fault = { kind: 'answer', text: `fault: tmux has ended: ${reason}` };
    expect(rig.told.slice(-3)).toEqual([fault, fault, { kind: 'closed', reason }]);
    await expectFaultsLater();
  });

  test('a server by kill-server is reported, behind its answer', async () => {
    rig.tell(['display-message -p before', 'kill-server']);
    await rig.closed();
    expect(rig.words('answer')).toEqual(['before']);
    await expectFaultsLater();
  });

  test('the session of the client is reported, though the server lives on', async () => {
    await rig.client.ask(['set-option -s exit-empty off']);
    expect(await rig.client.ask(['kill-session -t =hub'])).toEqual([[]]);
    await rig.closed();
  });

  test('the client by SIGKILL is reported', async () => {
    process.kill(rig.client.pid!, 'SIGKILL');
    await rig.closed();
    expect(rig.words('closed')).toEqual(['the client has ended']);
    await expectFaultsLater();
  });

  test('the client by close leaves the server as it is, and earlier commands are answered', async () => {
    rig.tell(['display-message -p before']);
    rig.client.close();
    rig.client.close();
    rig.tell(['display-message -p after']);
    expect(rig.words('answer')).toEqual([]);
    await rig.closed();
    expect(rig.words('closed')).toEqual(['the client was detached']);
    expect(rig.words('answer').toSorted()).toEqual(['before', 'fault: the tmux client has ended']);
    expect(await rig.tmux('list-sessions', '-F', '#{session_name}')).toBe('hub\n');
    await expectFaultsLater();
  });
});

/** Ends the client, and checks that commands fail on the next turn and that the end is not reported again. */
async function expectFaultsLater(): Promise<void> {
  const before = rig.words('answer').length;
  rig.client.close();
  rig.tell(['display-message -p after']);
  expect(rig.words('answer')).toHaveLength(before);
  await expect(rig.client.ask(['display-message -p after'])).rejects.toThrow('the tmux client has ended');
  expect(rig.words('answer').at(-1)).toBe('fault: the tmux client has ended');
  expect(rig.words('closed')).toHaveLength(1);
}
