import { execFile } from 'node:child_process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CLI } from '../support/cli.js';
import { environmentFor, verbsAt } from '../support/command.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
const { out, create } = verbsAt(() => used.service.home);

/** Runs a line of bash in which `at` is the command; resolves with what it prints, whatever its exit code. */
function bash(line: string): Promise<{ stdout: string; stderr: string }> {
  const script = `at() { "${process.execPath}" "${CLI}" "$@"; }; ${line}`;
  return new Promise((resolve) => {
    const options = { env: environmentFor(used.service.home) };
    execFile('bash', ['-c', script], options, (_error, stdout, stderr) => resolve({ stdout, stderr }));
  });
}

const codeOf = `echo "code \${PIPESTATUS[0]}"`;

describe('a reader that closes the pipe early', () => {
  test('ends run as SIGPIPE would, and its program with it', async () => {
    expect(await bash(`at run -- yes | head -1; ${codeOf}`)).toEqual({
      stdout: 'y\ncode 141\n',
      stderr: '',
    });
    expect(await out('ls', '-q')).toBe('');
  });

  test('leaves the program of run --keep alone, which is said', async () => {
    const { stdout, stderr } = await bash(`at run --keep -- yes | head -1; ${codeOf}`);
    const id = (await out('ls', '-q')).trim();
    expect(stdout).toBe('y\ncode 141\n');
    expect(stderr).toBe(`auto-terminal: the program goes on; to follow it: auto-terminal logs -f ${id}\n`);
    await out('close', id);
  });

  test('does not end what exec has typed, which is said', async () => {
    const id = await create();
    const { stdout, stderr } = await bash(`at exec ${id} -- 'yes' | head -1; ${codeOf}`);
    expect(stdout).toBe('y\ncode 141\n');
    // What is missing of so much output may have been said before.
    expect(stderr).toContain(
      `auto-terminal: the command goes on; to interrupt it: auto-terminal signal ${id} INT\n`,
    );
    await out('close', id);
  });

  test('ends exec with 141 also where errors go the same way', async () => {
    const id = await create();
    onTestFinished(async () => void (await out('close', id)));
    // A slow reader is told first that it misses the beginning of so much output.
    expect((await bash(`at exec ${id} -- yes 2>&1 | head -1; ${codeOf}`)).stdout).toMatch(
      /^(y|auto-terminal: output is missing here: .*)\ncode 141\n$/,
    );
  });

  test('hides no answer that is an exit code', async () => {
    const id = await create();
    expect((await bash(`at wait -t 0 -o json ${id} | true; ${codeOf}`)).stdout).not.toBe('code 0\n');
    await out('close', id);
  });

  test('is no failure of a verb that only shows something', async () => {
    const id = await create('--', 'yes');
    expect((await bash(`at logs -f ${id} | head -1; ${codeOf}`)).stdout).toBe('y\ncode 0\n');
    await out('close', id);
  });
});

describe.skipIf(process.platform !== 'linux')('an output that cannot be written', () => {
  const said = expect.stringMatching(/^auto-terminal: Standard output cannot be written: .*ENOSPC.*\n/);

  test('ends run with 125 and its program with it', async () => {
    expect(await bash(`at run -- yes >/dev/full; ${codeOf}`)).toEqual({ stdout: 'code 125\n', stderr: said });
    expect(await out('ls', '-q')).toBe('');
  });

  test.each(['ls', '--help', 'completion bash'])('%s ends with 1, and says why', async (verb) => {
    const id = await create();
    expect(await bash(`at ${verb} >/dev/full; ${codeOf}`)).toEqual({ stdout: 'code 1\n', stderr: said });
    await out('close', id);
  });
});
