import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/processes.js';
import { stopRecording } from '../support/recordings.js';
import { found, search } from '../support/search.js';
import { SecretsClient, secretsOf } from '../support/secrets.js';
import { useService } from '../support/use-service.js';

const used = useService();
const client = new SecretsClient(used);
const { waits } = client;

const hasProgram = (name: string) =>
  process.env.PATH!.split(':').some((path) => existsSync(join(path, name)));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-secrets-'));
  // Without this file zsh asks a new user about its contents.
  await writeFile(join(used.service.home, '.zshrc'), '');
});
afterAll(() => rm(folder, { recursive: true }));

function run(program: string, args: string[]): void {
  execFileSync(program, args);
}

const SHELLS = ['bash', 'zsh', 'fish'].filter(hasProgram);

describe.each(SHELLS)('in %s', (shell) => {
  const prompted = async () => {
    const terminal = await client.open({ profile: shell });
    await waits.type(terminal.id, 'echo re""ady\r');
    await waits.shown(terminal.id, 'ready');
    return terminal;
  };

  test('a password typed at read -s is nowhere, and input before and after it is kept', async () => {
    const terminal = await prompted();
    const secret = client.newSecret();
    await waits.type(terminal.id, 'read -s pw; echo go""t\r');
    await eventually('the terminal does not echo', async () => readsSecret(terminal.id, shell));
    await waits.type(terminal.id, `${secret}\r`);
    await waits.shown(terminal.id, 'got');
    await client.indexed(terminal.id);
    const recording = await client.nowhere(secret, terminal);
    expect(secretsOf(recording)).toEqual([
      { event_type: 'input', data: '', secret: true, timestamp: expect.any(Number) },
    ]);
    const inputs = recording.events.filter(({ event_type }) => event_type === 'input');
    expect(inputs.map(({ data }) => data).join('')).toContain('read -s pw');
  });

  test('typed key by key it is one event, whatever its length', async () => {
    const terminal = await prompted();
    const secret = client.newSecret();
    await waits.type(terminal.id, 'read -s pw; echo go""t\r');
    await eventually('the terminal does not echo', async () => readsSecret(terminal.id, shell));
    for (const key of `${secret}\r`) await waits.type(terminal.id, key);
    await waits.shown(terminal.id, 'got');
    await client.indexed(terminal.id);
    const recording = await client.nowhere(secret, terminal);
    expect(secretsOf(recording)).toHaveLength(1);
  });

  test('typed ahead of the prompt, in one write with the command or right behind it, it is nowhere', async () => {
    const terminal = await prompted();
    const [one, two] = [client.newSecret(), client.newSecret()];
    // A carriage return that is typed ahead stays a carriage return, and ends no line for `read`.
    await waits.type(terminal.id, `read -s pw; echo go""t\r${one}\n`);
    await answered(terminal.id, 'got');
    await waits.type(terminal.id, 'read -s pw; echo twi""ce\r');
    await waits.type(terminal.id, `${two}\n`);
    await answered(terminal.id, 'twice');
    await client.indexed(terminal.id);
    const shown = (await waits.output(terminal.id, 'lines=1000')).raw;
    // A secret that the terminal has shown, because its shell still echoed, does not count.
    for (const secret of [one, two]) if (!shown.includes(secret)) await notTyped(secret);
    const recording = await stopRecording(used.api, terminal.recordingId);
    for (const secret of [one, two]) {
      const inputs = recording.events.filter(({ event_type }) => event_type === 'input');
      if (!shown.includes(secret)) expect(JSON.stringify(inputs)).not.toContain(secret);
    }
  });

  /** Resolves once the word shows. In zsh, `read` does not get input typed ahead, and waits for another line. */
  async function answered(id: string, word: string): Promise<void> {
    await eventually(`${shell} has read`, async () => {
      if ((await waits.output(id)).raw.includes(word)) return true;
      if (await client.hidesInput(id)) await waits.type(id, '\n');
      return false;
    });
  }

  async function notTyped(secret: string): Promise<void> {
    expect(await search(used.api, { query: secret, filters: { type: 'input' } })).toEqual([]);
  }
});

/** Whether the shell reads a secret: the terminal hides input, or fish shows its prompt for a secret. */
async function readsSecret(id: string, shell: string): Promise<boolean> {
  if (shell === 'fish') return (await waits.output(id)).raw.split('\n').at(-1)!.startsWith('read>');
  return client.hidesInput(id);
}

/** A program that asks for secrets: the text of its prompts, and the answers. */
async function asks(
  command: string[],
  questions: Array<[prompt: string, answer: string]>,
  more: object = {},
) {
  const terminal = await client.open({ command, ...more });
  let seen = 0;
  for (const [prompt, answer] of questions) {
    await eventually(`${command[0]} asks ${prompt}`, async () => {
      const { raw } = await waits.output(terminal.id, 'lines=1000');
      const at = raw.indexOf(prompt, seen);
      if (at !== -1) seen = at + prompt.length;
      return at !== -1;
    });
    await waits.type(terminal.id, `${answer}\r`);
  }
  await waits.wait(terminal.id, { until: 'exit', timeoutMs: 30_000 });
  return terminal;
}

describe('a password asked for by', () => {
  test.runIf(hasProgram('python3'))("python's getpass", async () => {
    const secret = client.newSecret();
    const script = 'import getpass; p = getpass.getpass("Who: "); print("length", len(p))';
    const terminal = await asks(['python3', '-c', script], [['Who:', secret]]);
    await client.nowhere(secret, terminal);
  });

  test.runIf(hasProgram('ssh-keygen'))('ssh-keygen -p', async () => {
    const [old, secret] = [client.newSecret(), client.newSecret()];
    const file = join(folder, 'key');
    run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', old, '-f', file]);
    const terminal = await asks(
      ['ssh-keygen', '-p', '-f', file],
      [
        ['Enter old passphrase', old],
        ['Enter new passphrase', secret],
        ['again', secret],
      ],
    );
    await client.nowhere(old, terminal);
    expect(await client.filesWith(secret)).toEqual([]);
    expect(await search(used.api, secret)).toEqual([]);
  });

  test.runIf(hasProgram('passwd') && process.getuid?.() === 0)('passwd', async () => {
    const user = `at-secret-${process.pid}`;
    run('useradd', ['--no-create-home', user]);
    try {
      const secret = client.newSecret();
      const terminal = await asks(
        ['passwd', user],
        [
          ['New password:', secret],
          ['Retype new password:', secret],
        ],
      );
      const recording = await client.nowhere(secret, terminal);
      expect(secretsOf(recording)).toHaveLength(2);
    } finally {
      run('userdel', [user]);
    }
  });

  test('a program that reads raw keys, by the text of its prompt', async () => {
    const [secret, plain] = [client.newSecret(), client.newSecret()];
    const ask = (words: string) => `printf '${words}'; IFS= read -r line; echo; echo done $\{#line}`;
    const script = `stty raw -echo icrnl opost; ${ask('Verification code: ')}; stty sane; ${ask('Name: ')}`;
    const terminal = await asks(
      ['bash', '-c', script],
      [
        ['Verification code:', secret],
        ['Name:', plain],
      ],
    );
    const recording = await client.nowhere(secret, terminal);
    expect(JSON.stringify(recording.events)).toContain(plain);
    await found(used.api, { query: plain, filters: { type: 'input' } });
  });

  test('a program that does not show its input, whatever its prompt', async () => {
    const secret = client.newSecret();
    const script = "stty raw -echo icrnl opost; printf '> '; IFS= read -r line; echo; echo done";
    const terminal = await asks(['bash', '-c', script], [['>', secret]]);
    await client.nowhere(secret, terminal);
  });
});

test('input that waits in the host until a program hides its input is then written, and kept nowhere', async () => {
  const secret = client.newSecret();
  const script = 'stty raw -echo; sleep 1; stty -raw -echo; head -c 200 >/dev/null; read line; echo go""t';
  const terminal = await client.open({ command: ['sh', '-c', script] });
  await waits.type(terminal.id, `${'x'.repeat(20_000)}\n`);
  await waits.type(terminal.id, `${secret}\n`);
  await eventually('the program has ended or asked', async () => {
    const { raw } = await waits.output(terminal.id);
    return raw.includes('got');
  });
  await client.nowhere(secret, terminal);
});

test('nothing is indexed of a line that was typed partly while echo was on', async () => {
  const secret = client.newSecret();
  const terminal = await client.open({
    command: ['sh', '-c', 'read a; stty -echo; echo quiet; read b; stty echo; echo go""t; exec cat'],
  });
  await waits.type(terminal.id, 'first\rhalf');
  await waits.shown(terminal.id, 'quiet');
  await waits.type(terminal.id, `${secret}\r`);
  await waits.shown(terminal.id, 'got');
  await client.indexed(terminal.id);
  await client.nowhere(secret, terminal);
  expect(await search(used.api, { query: 'half', filters: { type: 'input' } })).toEqual([]);
});
