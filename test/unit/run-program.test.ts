import { describe, expect, test } from 'vitest';
import { runProgram } from '#dist/actors/run-program.js';

describe('a program', () => {
  const options = { env: process.env, deadlineMs: 10_000 };

  test('runs with its arguments as they are, and its end is reported', async () => {
    const done = await runProgram('printf', ['%s', '$HOME #{x}'], options);
    expect([done.exitCode, done.stdout.toString()]).toEqual([0, '$HOME #{x}']);
    expect((await runProgram('sh', ['-c', 'exit 7'], options)).exitCode).toBe(7);
  });

  test('is killed past its deadline', async () => {
    const ended = await runProgram('sleep', ['1000'], { ...options, deadlineMs: 50 });
    expect(ended.exitCode).toBeNull();
  });

  test('that cannot be started is an error', async () => {
    await expect(runProgram('/gone/program', [], options)).rejects.toThrow('ENOENT');
  });
});
