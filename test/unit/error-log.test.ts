import Fastify, { LogController } from 'fastify';
import { expect, test } from 'vitest';
import { DomainError, ERRORS, type ErrorCode } from '#dist/contract/errors.js';
import { answerError } from '#dist/gateway/errors.js';

/** Resolves with the status that answers a fault, and with the levels and messages that are logged for it. */
async function answered(fault: unknown) {
  const lines: { level: number; msg: string; requestId?: string; err?: { stack: string } }[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const app = Fastify({
    logger: { level: 'trace', stream },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => 'r-1',
  });
  app.setErrorHandler(answerError);
  app.get('/', async () => {
    throw fault;
  });
  const { statusCode } = await app.inject('/');
  await app.close();
  const logged = lines.map(({ level, msg, requestId, err }) => [level, msg, requestId, err !== undefined]);
  return { statusCode, logged };
}

const [WARN, ERROR] = [40, 50];

test('a fault of the service is an error, logged with its request', async () => {
  expect(await answered(new Error('a bug'))).toEqual({
    statusCode: 500,
    logged: [[ERROR, 'Internal error', 'r-1', true]],
  });
});

test('overload is a warning', async () => {
  expect(await answered(new DomainError('unavailable'))).toEqual({
    statusCode: 503,
    logged: [[WARN, 'Temporarily unavailable', 'r-1', true]],
  });
});

test.each(Object.keys(ERRORS) as ErrorCode[])('%s: a fault of the client is not logged', async (code) => {
  const { status } = ERRORS[code];
  const { statusCode, logged } = await answered(new DomainError(code));
  expect([statusCode, logged.length]).toEqual([status, status === 500 || status === 503 ? 1 : 0]);
});
