import { expect, test } from 'vitest';
import { DisconnectedError, MissingOutputError, type RunStreamEvent } from '#dist/client/index.js';
import { answering } from '../support/scripted-server.js';
import { closeAfterEach, connectTo } from '../support/sdk.js';

closeAfterEach();

const terminalId = 'term_000000000000';
const output = (text: string): RunStreamEvent => ({ type: 'output', terminalId, text });
const GAP: RunStreamEvent = { type: 'gap', terminalId };

const counts = { total: 1, succeeded: 1, failed: 0, done: 1, zero: 1, nonZero: 0 };
const END: RunStreamEvent = { type: 'end', state: 'finished', summary: counts };

/** Returns a terminal of a service in which a command prints this, and the bodies of the requests to run one. */
async function printing(printed: RunStreamEvent[], end: RunStreamEvent[] = [END]) {
  const events = [...printed, ...end];
  const { url, requests } = await answering(({ request, response }) => {
    if (request.url?.endsWith('/stream')) {
      response.setHeader('content-type', 'application/x-ndjson');
      response.end(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
      return;
    }
    response.setHeader('content-type', 'application/json');
    const results = [{ terminalId, success: true, done: true, exitCode: 0 }];
    response.end(JSON.stringify({ runId: 'run_1', state: 'finished', results }));
  });
  return { terminal: connectTo({ url, env: {} }).terminals.get(terminalId), requests };
}

test('a loop over lines throws where output is missing, after the lines before it', async () => {
  const { terminal } = await printing([output('one\ntw'), GAP, output('o\nlast\n')]);
  const run = terminal.run('make');
  const lines: string[] = [];
  const loop = async () => {
    for await (const line of run) lines.push(line);
  };
  const error: unknown = await loop().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MissingOutputError);
  expect(error).toMatchObject({
    code: 'output-missing',
    message: expect.stringContaining('Output is missing'),
    fix: expect.stringContaining('onGap'),
  });
  expect(lines).toEqual(['one', 'tw']);
  expect(await run).toMatchObject({ exitCode: 0 });
});

test('a loop throws where the service stops before the end of the run', async () => {
  const { terminal } = await printing([output('one\n')], []);
  const lines: string[] = [];
  const loop = async () => {
    for await (const line of terminal.run('make')) lines.push(line);
  };
  await expect(loop()).rejects.toThrow(DisconnectedError);
  expect(lines).toEqual(['one']);
});

test('a loop with onGap goes on, and joins no lines over what is missing', async () => {
  const { terminal, requests } = await printing([output('one\ntw'), GAP, output('o\nlast\n'), GAP]);
  const seen: string[] = [];
  for await (const line of terminal.run('make', { onGap: () => seen.push('GAP'), timeoutMs: 5_000 }))
    seen.push(line);
  expect(seen).toEqual(['one', 'tw', 'GAP', 'o', 'last', 'GAP']);
  expect(JSON.parse(requests[0]!.body)).toEqual({
    ...{ command: 'make', terminalIds: [terminalId], waitFor: 0, timeoutMs: 5_000 },
  });
});

test('a loop gives a line that was drawn over as it is then, and not behind its beginning', async () => {
  const redrawn: RunStreamEvent = { type: 'redrawn', terminalId, lines: 1 };
  const { terminal } = await printing([output('one\n50'), redrawn, output('100 %\n')]);
  const lines: string[] = [];
  for await (const line of terminal.run('make')) lines.push(line);
  expect(lines).toEqual(['one', '100 %']);
});
