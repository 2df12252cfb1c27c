import { describe, expect, it } from 'vitest';
import { watch } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { openTerminal, runIn } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();

const type = (id: string, data: string) => used.api.post(`/api/terminals/${id}/input`, { data });

/** The non-empty rows of the screen, as text. */
async function shown(id: string): Promise<string> {
  return (await used.api.get<{ raw: string }>(`/api/terminals/${id}/output`)).body.raw;
}

function untilShown(id: string, text: string): Promise<void> {
  return eventually(`${id} shows ${text}`, async () => (await shown(id)).includes(text));
}

/** Reads like an agent: in raw mode, with bracketed paste, without a visible prompt. Prints each read. */
const AGENT = `
process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => process.stdout.write(JSON.stringify(String(bytes)) + '\\n'));
process.stdout.write('\\x1b[?2004hREADY\\n');`;
const TYPED_TO_AGENT = '"\\u001b[200~hello\\u001b[201~"\n"\\r"\n';
const AGENT_ENV = { env: { AGENT } };
const RUN_AGENT = `${process.execPath} -e "$AGENT"`;

describe('a terminal whose own program is no shell', () => {
  it('cat gets the command as a line, and is done once it is quiet', async () => {
    const id = await openTerminal(used.api, ['cat']);
    const result = await runIn(used.api, id, 'to cat', { idleMs: 200 });
    const told = { success: true, done: true, exitCode: null, durationMs: null, integration: 'none' };
    expect(result).toMatchObject({ ...told, raw: 'to cat\nto cat\n', waitedBy: 'foreground' });
  });

  it('so does a program that has replaced a shell', async () => {
    const id = await openTerminal(used.api, ['bash', '-c', 'echo first; exec cat']);
    await untilShown(id, 'first');
    const result = await runIn(used.api, id, 'to cat', { idleMs: 200 });
    expect(result).toMatchObject({ exitCode: null, raw: 'to cat\nto cat\n', waitedBy: 'foreground' });
  });

  it('a REPL computes before it is done', async () => {
    const id = await openTerminal(used.api, [process.execPath, '-i']);
    await untilShown(id, '>');
    const command = 'for (const end = Date.now() + 1500; Date.now() < end; ); console.log(6 * 7)';
    const { done, raw, waitedBy } = await runIn(used.api, id, command, { idleMs: 100 });
    expect([done, waitedBy]).toEqual([true, 'foreground']);
    expect(raw).toMatch(/^42$/m);
  });

  it('an agent gets Enter in a read of its own', async () => {
    const id = await openTerminal(used.api, ['bash', '-c', `exec ${RUN_AGENT}`], AGENT_ENV);
    await untilShown(id, 'READY');
    expect(await runIn(used.api, id, 'hello')).toMatchObject({ done: true, raw: TYPED_TO_AGENT });
  });

  it('the end of the program is its end, with the exit code', async () => {
    const id = await openTerminal(used.api, ['sh', '-c', 'read line; exit "$line"']);
    // The exit ends the run, however long the quiet time that would otherwise end it.
    const options = { idleMs: 3_600_000, timeoutMs: 3_600_000 };
    expect(await runIn(used.api, id, '7', options)).toMatchObject({ success: true, done: true, exitCode: 7 });
  });
});

describe.each([['bash'], ['dash']])('a program that %s runs', (shell) => {
  it('gets the command as its input if it shows a prompt of its own', async () => {
    const id = await openTerminal(used.api, [shell]);
    await type(id, `${process.execPath} -i\r`);
    await untilShown(id, 'Welcome');
    const first = await runIn(used.api, id, 'x = 6 * 7');
    expect(first).toMatchObject({ success: true, done: true, exitCode: null, waitedBy: 'idle' });
    expect((await runIn(used.api, id, 'x')).raw).toMatch(/^42$/m);
    await runIn(used.api, id, '.exit');
    expect(await runIn(used.api, id, '(exit 4)')).toMatchObject({ done: true, exitCode: 4, raw: '' });
  });

  it('gets it if it has turned on bracketed paste, as agents do', async () => {
    const id = await openTerminal(used.api, [shell], AGENT_ENV);
    await type(id, `${RUN_AGENT}\r`);
    await untilShown(id, 'READY');
    const told = { success: true, done: true, exitCode: null, waitedBy: 'idle' };
    expect(await runIn(used.api, id, 'hello')).toMatchObject({ ...told, raw: TYPED_TO_AGENT });
  });

  it('is waited for otherwise: nothing is typed into it', async () => {
    const id = await openTerminal(used.api, [shell], { env: { SECOND: '1.2' } });
    await type(id, 'printf "%s: " reading; cat\r');
    await untilShown(id, 'reading:');
    const refused = await runIn(used.api, id, 'echo typed', { timeoutMs: 2_500 });
    const error = 'Not typed: the terminal was busy, or not ready, until the run was over';
    expect(refused).toMatchObject({
      success: false,
      done: false,
      exitCode: null,
      raw: '',
      waitedBy: null,
      error,
    });
    expect(await shown(id)).not.toContain('echo typed');
    const running = runIn(used.api, id, 'echo after "$SECOND"');
    await used.api.post(`/api/terminals/${id}/keys`, { keys: ['ctrl+c'] });
    expect(await running).toMatchObject({ success: true, done: true, exitCode: 0, raw: 'after 1.2\n' });
  });

  it('no longer counts once it has ended at its prompt: typed text waits for the shell', async () => {
    const watcher = await watch(used.service.url);
    const id = await openTerminal(used.api, [shell]);
    // The output looks like a prompt, but its program soon ends.
    await type(id, `printf '\\ncopying> '; sleep 0.3\r`);
    await watcher.untilOutput(id, '\ncopying> ');
    expect(await runIn(used.api, id, 'echo hi')).toMatchObject({ done: true, exitCode: 0, raw: 'hi\n' });
    await watcher.close();
  });
});
