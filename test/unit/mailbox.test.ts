import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { garbageCollector } from '../../src/workers/garbage-collector.js';
import { Mailbox } from '../../src/workers/shard/mailbox.js';

const own = { own: true, need: 'place' } as const;

const collect = garbageCollector();

test('a question that is answered is no longer held, although more waits behind it', async () => {
  const mailbox = new Mailbox<string>();
  const ask = () => {
    const question = (subject: string) => `answer to ${subject}`;
    return { asked: mailbox.ask(question, own), question: new WeakRef(question) };
  };
  const { asked, question } = ask();
  void mailbox.ask(() => 'later', own);
  const answerNext = () => {
    const mail = mailbox.peek();
    if (mail?.kind !== 'ask') throw new Error('the question does not come first');
    mail.answer('you');
    mailbox.take();
  };
  answerNext();
  expect(await asked).toBe('answer to you');
  // A WeakRef keeps its object until the end of the turn in which it was made.
  await setImmediate();
  collect();
  expect(question.deref()).toBeUndefined();
  expect(mailbox.isEmpty).toBe(false);
});

test('bytes are taken in parts and counted, and what is asked behind them waits', async () => {
  const mailbox = new Mailbox<string>();
  mailbox.put({ kind: 'bytes', bytes: Buffer.from('abc') });
  void mailbox.ask(() => 1, own);
  mailbox.put({ kind: 'bytes', bytes: Buffer.from('de') });
  mailbox.takeBytes(2);
  expect([mailbox.bytes, mailbox.peek()]).toMatchObject([3, { kind: 'bytes' }]);
  mailbox.takeBytes(1);
  expect(mailbox.peek()?.kind).toBe('ask');
  mailbox.take();
  mailbox.takeBytes(2);
  expect([mailbox.bytes, mailbox.isEmpty]).toEqual([0, true]);
});

test('once it is closed, what waits and what comes later is rejected', async () => {
  const mailbox = new Mailbox<string>();
  const waiting = mailbox.ask(() => 1, own);
  const error = new Error('gone');
  mailbox.close(error);
  await expect(waiting).rejects.toBe(error);
  await expect(mailbox.ask(() => 1, own)).rejects.toBe(error);
  expect([mailbox.isEmpty, mailbox.isClosed]).toEqual([true, true]);
});
