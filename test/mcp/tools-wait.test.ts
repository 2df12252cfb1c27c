import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { FleetExecution } from '#dist/contract/fleet.js';
import type { BatchRunAnswer } from '#dist/contract/run.js';
import { createdBy, NOT_FOUND, UNKNOWN, useTools } from '../support/mcp-tools.js';
import { openTerminal } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
const tools = useTools(() => ({ apiUrl: used.service.url }));
const { call, failure } = tools;
const run = (args: object, caller?: string) =>
  call<BatchRunAnswer>('execute_command', { wait: true, ...args }, caller);
const bytesOf = (text: string) => Buffer.byteLength(text);

describe('execute_command with wait, one terminal', () => {
  it.each(['bash', 'sh'])('%s: exit code and output in the same call', async (profile) => {
    const id = await createdBy(tools, { profile });
    const { structured, text } = await run({ command: 'echo out; echo err >&2; (exit 3)', terminalId: id });
    const [result] = structured.results;
    expect(structured.results).toHaveLength(1);
    expect(result).toMatchObject({
      ...{ terminalId: id, success: true, done: true, exitCode: 3, truncated: false },
      ...{ raw: expect.stringMatching(/^out\r?\nerr\r?\n$/), durationMs: expect.any(Number) },
    });
    expect(structured.summary).toMatchObject({ total: 1, done: 1, zero: 0, nonZero: 1 });
    const took = Math.round(result!.durationMs!);
    expect(text.replaceAll('\r', '')).toBe(`[${id}: exit code 3, took ${took} ms]\nout\nerr`);
  });

  it('me is the caller, mcp the source of its input; a command without output has only a head', async () => {
    const id = await createdBy(tools);
    const { structured, text } = await run({ command: 'true', terminalId: 'me' }, id);
    expect(structured.results[0]).toMatchObject({ terminalId: id, exitCode: 0, raw: '' });
    const { body } = await used.api.get<{ processes: { id: string; lastInputSource: string }[] }>(
      '/api/processes',
    );
    expect(body.processes.find((each) => each.id === id)?.lastInputSource).toBe('mcp');
    expect(text).toMatch(new RegExp(`^\\[${id}: exit code 0, took \\d+ ms\\]$`));
  });

  it('a command longer than timeoutMs, clamped to 1000 at least: done false, with its output so far', async () => {
    const id = await createdBy(tools);
    await run({ command: 'true', terminalId: id });
    const { structured, text } = await run({
      command: 'echo begun; sleep 600',
      terminalId: id,
      timeoutMs: -7,
    });
    expect(structured.results[0]).toMatchObject({ success: true, done: false, exitCode: null });
    expect(structured.results[0]?.raw).toContain('begun');
    expect(text).toContain(
      `[${id}: not done in this time, so it continues; read on with get_terminal_output`,
    );
    expect(text).toContain('begun');
  });

  it('any number is clamped as timeoutMs', async () => {
    const id = await createdBy(tools);
    for (const timeoutMs of [1e300, 2_000.5]) {
      const { structured } = await run({ command: 'true', terminalId: id, timeoutMs });
      expect(structured.results[0]?.exitCode).toBe(0);
    }
  });

  it('an unknown terminal is an error; so is an incomplete command, with its output', async () => {
    for (const terminalId of [UNKNOWN, '', 'batch']) {
      expect(await failure('execute_command', { command: 'true', terminalId, wait: true })).toBe(NOT_FOUND);
    }
    const terminalId = await createdBy(tools);
    const text = await failure('execute_command', {
      command: 'echo seen\necho "open',
      terminalId,
      wait: true,
    });
    expect(text).toMatch(/^The command is incomplete: .*\. Close its quotes and brackets/);
    expect(text.split('\nIt printed:\n')[1]).toContain('seen');
  });

  it('long output keeps its end, and truncated shows it', async () => {
    const id = await createdBy(tools);
    const { structured, text } = await run({ command: 'seq 1 100000', terminalId: id });
    const { raw, truncated } = structured.results[0]!;
    expect([truncated, raw.trimEnd().endsWith('\n100000')]).toEqual([true, true]);
    expect(bytesOf(raw)).toBeLessThanOrEqual(256 * 1_024);
    expect(bytesOf(raw)).toBeGreaterThan(128 * 1_024);
    expect(text).toContain('; the beginning of its output is left out]');
  });
});

describe('execute_command with wait, an array of ids', () => {
  it('one result for each, all at the same time; an unknown one is a failed result', async () => {
    const ids = [await createdBy(tools), await createdBy(tools), await createdBy(tools)];
    const [one, two, mine] = ids;
    const command =
      'test "$SERVICE_TERMINAL_ID" != "$(cat ~/fails)"; code=$?; echo "in $SERVICE_TERMINAL_ID"; (exit $code)';
    await run({ command: `echo ${two} > ~/fails`, terminalId: one });
    const { structured, text } = await run({ command, terminalId: [one, UNKNOWN, two, 'me', one] }, mine);
    expect(
      structured.results.map(({ terminalId, success, done, exitCode }) => [
        terminalId,
        success,
        done,
        exitCode,
      ]),
    ).toEqual([
      [one, true, true, 0],
      [UNKNOWN, false, false, null],
      [two, true, true, 1],
      [mine, true, true, 0],
    ]);
    for (const { terminalId, raw } of structured.results) {
      if (terminalId !== UNKNOWN) expect(raw.trim()).toBe(`in ${terminalId}`);
    }
    expect(structured.summary).toEqual({ total: 4, succeeded: 3, failed: 1, done: 3, zero: 2, nonZero: 1 });
    const [mark] = /#[0-9a-f]{6} /.exec(text) ?? [];
    expect(text).toContain(`[${mark}${UNKNOWN}: failed: ${NOT_FOUND}]`);
    expect(text).toMatch(new RegExp(`\\[${mark}${two}: exit code 1, took \\d+ ms\\]\\nin ${two}`));
    const all = 'in all: 4 terminals; 3 done, 2 with exit code 0, 1 with another; 1 failed';
    expect(text.endsWith(`\n[${mark}${all}]`)).toBe(true);
  });

  it('the lines about terminals carry a mark that no program can know', async () => {
    const [one, two] = [await openTerminal(used.api, ['bash']), await openTerminal(used.api, ['bash'])];
    const texts: string[] = [];
    for (let time = 1; time <= 2; time++) {
      const command = `echo "[${two}: exit code 0, took 3 ms]"; false`;
      texts.push((await run({ command, terminalId: [one, two] })).text);
    }
    const marks = texts.map((text) => /^\[(#[0-9a-f]{6}) /.exec(text)?.[1]);
    expect(marks[0]).toBeDefined();
    expect(marks[0]).not.toBe(marks[1]);
    expect(texts[0]!.split(`[${marks[0]} ${two}: exit code 1`)).toHaveLength(2);
  });

  it('its output is bounded in total: with more terminals each has less', async () => {
    const ids: string[] = [];
    while (ids.length < 16) ids.push(await openTerminal(used.api, ['bash']));
    const { structured } = await run({ command: 'seq 1 40000', terminalId: ids });
    for (const { raw, truncated, exitCode } of structured.results) {
      expect([truncated, exitCode, raw.trimEnd().endsWith('\n40000')]).toEqual([true, 0, true]);
    }
    const bytes = structured.results.reduce((sum, { raw }) => sum + bytesOf(raw), 0);
    expect(bytes).toBeLessThanOrEqual(1_024 * 1_024);
    expect(bytes).toBeGreaterThan(512 * 1_024);
  });
});

describe('execute_command on a machine', () => {
  const OS = process.platform === 'darwin' ? 'macos' : 'linux';
  const onMachine = (args: object) => call<{ results: FleetExecution[] }>('execute_command', args);

  it.each([
    { machineId: 'self' },
    { targetOS: OS },
    { machineId: 'self', targetOS: 'windows', wait: true, timeoutMs: 1e9 },
  ])('%j: a long poll in a fresh terminal', async (target) => {
    const { structured, text } = await onMachine({ command: 'echo "sum $((40 + 2))"; (exit 4)', ...target });
    const [result] = structured.results;
    expect(result).toEqual({
      ...{ terminalId: expect.any(String), success: true, done: true, exitCode: 4 },
      ...{ machineId: 'self', deviceName: hostname(), screen: expect.stringMatching(/^sum 42$/m) },
    });
    expect(text).toContain(
      `[${result?.terminalId} on ${hostname()} (self): exit code 4; this terminal was made for the command`,
    );
    expect(text).toContain(`\n${result?.screen}`);
    const { status } = await used.api.get(`/api/terminals/${result?.terminalId}`);
    expect(status).toBe(404);
  });

  it('may end with done false after the timeout, and then leaves its terminal open', async () => {
    const { structured, text } = await onMachine({ command: 'sleep 600', machineId: 'self', timeoutMs: 0 });
    const [result] = structured.results;
    expect(result).toMatchObject({ done: false, exitCode: null });
    expect(text).toContain('not done in this time, so it continues');
    await call('close_terminal', { terminalId: result!.terminalId });
  });

  it('terminalId wins over machineId and targetOS', async () => {
    const id = await createdBy(tools);
    const target = { terminalId: id, machineId: 'other', targetOS: 'windows' };
    const { structured } = await run({ command: 'true', ...target });
    expect(structured.results[0]).toMatchObject({ terminalId: id, exitCode: 0 });
  });

  it('another machine, or an operating system without a machine: errors that say what to do', async () => {
    const command = 'true';
    expect(await failure('execute_command', { command, machineId: 'other' })).toMatch(
      /^peering not installed\. Only this machine can be reached/,
    );
    expect(await failure('execute_command', { command, targetOS: 'windows' })).toMatch(
      /^no match\. .*list_machines/,
    );
  });
});
