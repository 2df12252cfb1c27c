import { describe, expect, test } from 'vitest';
import type { WaitBody } from '#dist/contract/wait.js';
import { ShellTerminal } from '../support/commands.js';
import { useSharedService } from '../support/use-service.js';
import { WaitClient } from '../support/waits.js';

const used = useSharedService();
const waits = new WaitClient(() => used.api);

/** Longer than any answer takes. */
const timeoutMs = 30_000;
const TIMEOUT = { done: false, reason: 'timeout' };

type More = Partial<WaitBody>;
const untilCommand = (id: string, more: More = {}) =>
  waits.wait(id, { until: 'command', timeoutMs, ...more });
const untilPrompt = (id: string, more: More = {}) => waits.wait(id, { until: 'prompt', timeoutMs, ...more });

/** A shell that has shown its first prompt. */
async function shellAtPrompt(command: string[], more: object = {}): Promise<ShellTerminal> {
  const shell = await ShellTerminal.open(used.api, { command, ...more });
  await untilPrompt(shell.id);
  return shell;
}

describe.each(['bash', 'zsh', 'fish'])('POST /api/terminals/:id/wait in %s', (file) => {
  const ended = (exitCode: number | null) => ({
    ...{ done: true, reason: 'command', exitCode, integration: file, waitedBy: 'integration' },
  });

  test('until command: a running one, with its exit code and its output meanwhile', async () => {
    const shell = await shellAtPrompt([file]);
    await shell.type(`sh -c 'echo begun; read x; echo over; exit 3'\r`);
    await waits.shown(shell.id, '\nbegun');
    const since = await waits.cursor(shell.id);
    const both = [{}, { since }].map((more) => untilCommand(shell.id, more));
    expect(await untilCommand(shell.id, { timeoutMs: 0 })).toMatchObject(TIMEOUT);
    await shell.type('\r');
    for (const answer of await Promise.all(both)) {
      expect(answer).toMatchObject(ended(3));
      expect(answer.raw).toContain('over');
    }
    expect(await untilCommand(shell.id, { since })).toMatchObject(ended(3));
  });

  test('until command: one whose output is all before the cursor', async () => {
    const shell = await shellAtPrompt([file]);
    await shell.type(`sh -c 'stty -echo; printf begun; read x; exit 4'\r`);
    await waits.shown(shell.id, '\nbegun');
    const wait = untilCommand(shell.id, { since: await waits.cursor(shell.id) });
    await shell.type('\r');
    expect(await wait).toMatchObject(ended(4));
  });

  test('until command: one that is submitted just before the call', async () => {
    const shell = await shellAtPrompt([file]);
    for (const code of [5, 0, 6]) {
      await shell.type(`sh -c 'sleep 0.1; exit ${code}'\r`);
      expect(await untilCommand(shell.id)).toMatchObject(ended(code));
    }
  });

  test('until command: lines typed ahead, until the shell is at rest', async () => {
    const shell = await shellAtPrompt([file]);
    await shell.type("sleep 0.2\rsh -c 'exit 7'\rsh -c 'echo last; exit 8'\r");
    expect(await untilCommand(shell.id)).toMatchObject(ended(8));
    expect((await shell.list()).commands.map(({ exitCode }) => exitCode)).toEqual([8, 7, 0]);
  });

  test('until command: nothing submitted, done at once with the last exit code', async () => {
    const shell = await shellAtPrompt([file]);
    expect(await untilCommand(shell.id, { timeoutMs: 0 })).toMatchObject(ended(null));
    await shell.run("sh -c 'exit 9'");
    await untilPrompt(shell.id);
    // fish reports its prompt just before it draws the prompt.
    const raw = file === 'fish' ? expect.any(String) : '';
    expect(await untilCommand(shell.id, { timeoutMs: 0 })).toMatchObject({ ...ended(9), raw });
    const since = await waits.cursor(shell.id);
    expect(await untilCommand(shell.id, { since, timeoutMs: 300 })).toMatchObject(TIMEOUT);
    const wait = await waits.begin(shell.id, { until: 'command', since, timeoutMs });
    expect(wait.isSettled()).toBe(false);
    await shell.type("sh -c 'exit 10'\r");
    expect((await wait.answer).body).toMatchObject(ended(10));
  });

  test('until command: one that is interrupted by Ctrl+C', async () => {
    const shell = await shellAtPrompt([file]);
    // The command starts no other program: dash loses an interrupt between its fork and the exec of the child.
    await shell.type("sh -c 'echo begun; read x'\r");
    await waits.shown(shell.id, '\nbegun');
    const wait = await waits.begin(shell.id, { until: 'command', timeoutMs });
    await shell.type('\x03');
    expect((await wait.answer).body).toMatchObject(ended(130));
  });

  test('until command: a line without a command', async () => {
    const shell = await shellAtPrompt([file]);
    await shell.run('true');
    for (const line of ['', '   ', '# a comment']) {
      await shell.type(`${line}\r`);
      expect([line, await untilCommand(shell.id)]).toMatchObject([line, { done: true, reason: 'command' }]);
    }
  });

  test('until prompt: not while a command runs; a background one does not count', async () => {
    const shell = await shellAtPrompt([file]);
    expect(await untilPrompt(shell.id, { timeoutMs: 0 })).toMatchObject({ done: true, reason: 'prompt' });
    await shell.type("sleep 1000 & sh -c 'read x'\r");
    await shell.listed("sleep 1000 & sh -c 'read x'");
    expect(await untilPrompt(shell.id, { timeoutMs: 300 })).toMatchObject(TIMEOUT);
    const wait = await waits.begin(shell.id, { until: 'prompt', timeoutMs });
    await shell.type('\r');
    const { exitCode, ...answer } = (await wait.answer).body;
    expect([exitCode, answer]).toMatchObject([
      undefined,
      { done: true, reason: 'prompt', waitedBy: 'integration' },
    ]);
  });

  test('until prompt and command right after the terminal is created, with a command typed already', async () => {
    const shells = await Promise.all([1, 2].map(() => ShellTerminal.open(used.api, { command: [file] })));
    const [first, second] = [shells[0]!, shells[1]!];
    const prompt = untilPrompt(first.id);
    await second.type("sh -c 'exit 11'\r");
    expect(await untilCommand(second.id)).toMatchObject(ended(11));
    expect(await prompt).toMatchObject({ done: true, reason: 'prompt', integration: file });
  });

  test('until command: a shell that ends, and a shell that another replaces', async () => {
    const shell = await shellAtPrompt([file]);
    await shell.type(`exec ${file}\r`);
    expect(await untilCommand(shell.id)).toMatchObject(ended(null));
    await shell.type('exit 12\r');
    expect(await untilCommand(shell.id)).toMatchObject({ done: false, reason: 'exit', exitCode: 12 });
  });
});

describe('POST /api/terminals/:id/wait in a shell that is not integrated', () => {
  test.each([
    ['dash', {}],
    ['bash', { integration: false }],
    ['sh', { integration: false }],
  ])("%s: the end of a command is known by the shell's return to the foreground", async (file, more) => {
    const shell = await shellAtPrompt([file], more);
    const guessed = { done: true, integration: 'none', waitedBy: 'foreground' };
    await shell.type("sh -c 'echo begun; read x; echo over; sleep 1; exit 3'\r");
    await waits.shown(shell.id, '\nbegun');
    expect(await untilCommand(shell.id, { timeoutMs: 1_000, idleMs: 50 })).toMatchObject(TIMEOUT);
    const both = [untilCommand(shell.id), untilPrompt(shell.id)];
    await shell.type('\r');
    const [command, prompt] = await Promise.all(both);
    expect(command).toMatchObject({ ...guessed, reason: 'command', exitCode: null });
    expect(prompt).toMatchObject({ ...guessed, reason: 'prompt' });
    expect(prompt?.exitCode).toBeUndefined();
    // The same holds for a command that is submitted just before the call.
    await shell.type('sleep 0.3; echo "again"\r');
    const again = await untilCommand(shell.id);
    expect(again).toMatchObject({ ...guessed, reason: 'command' });
    expect(again.raw).toMatch(/^again$/m);
    // On a busy machine, one look at the processes may take longer than a wait of 0 ms allows for.
    await expect.poll(() => untilPrompt(shell.id, { timeoutMs: 0, idleMs: 50 })).toMatchObject(guessed);
    await shell.type("sh -c 'echo asleep; exec sleep 1000'\r");
    await waits.shown(shell.id, '\nasleep');
    expect(await untilPrompt(shell.id, { timeoutMs: 0, idleMs: 50 })).toMatchObject(TIMEOUT);
  });

  test('no shell at all: its program is in the foreground, and quiet', async () => {
    const id = await waits.open(['cat']);
    const answer = await untilCommand(id, { idleMs: 100 });
    expect(answer).toMatchObject({ done: true, integration: 'none', waitedBy: 'foreground', exitCode: null });
  });
});
