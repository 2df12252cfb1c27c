import { beforeEach, describe, expect, it } from 'vitest';
import { DomainError } from '../../src/contract/errors.js';
import { unlessKnown } from '../../src/fleet/answers.js';
import { Roster } from '../../src/fleet/roster.js';

/** The answer of each machine; undefined if the machine cannot be reached. */
const answers = new Map<string, { status: number; body: object } | undefined>();
const entry = (machineId: string) => ({
  ...{ machineId, publicKey: '', deviceName: `name of ${machineId}`, os: 'linux' as const },
  ...{ version: '1', protocols: { min: 1, max: 1 }, epoch: 'e', link: 1, terminals: 0, lastSeenAt: 1 },
  online: answers.get(machineId) !== undefined,
});
const list = () => [...answers.keys()].map(entry);
const client = new AbortController().signal;
/** Bytes that the machines have sent. */
let bytes = 0;
let roster: Roster;

beforeEach(() => {
  answers.clear();
  roster = new Roster({
    list,
    call: async (machineId, { method, known }) => {
      const answer = answers.get(machineId);
      if (!answer) throw new DomainError('machine-unreachable');
      const body = Buffer.from(JSON.stringify(answer.body));
      const sent = unlessKnown({ method, known }, { status: answer.status, headers: {}, body });
      bytes += sent.body.length;
      return sent;
    },
  });
});

const has = { status: 200, body: { id: 'term_1', machineId: 'self' } };
const hasNot = { status: 404, body: { code: 'terminal-not-found' } };
const refuses = { status: 403, body: { code: 'not-granted' } };

/** Resolves with the machine, or with the error that a client gets. */
const find = () =>
  roster.find('term_1', client).catch((error: DomainError) => ({ code: error.code, ...error.details }));

describe('a terminal is looked for on all machines', () => {
  it('is found where it is', async () => {
    answers.set('a', hasNot).set('b', has).set('c', undefined);
    expect(await find()).toBe('b');
  });

  it('is ambiguous if two machines have it', async () => {
    answers.set('a', has).set('b', has).set('c', hasNot);
    expect(await find()).toMatchObject({
      code: 'ambiguous-target',
      candidates: [{ machineId: 'a' }, { machineId: 'b' }],
      machines: [{ machineId: 'a' }, { machineId: 'b' }, { machineId: 'c' }],
    });
  });

  it('is not found if all say so, and then nobody is unasked', async () => {
    answers.set('a', hasNot);
    expect(await find()).toEqual({ code: 'terminal-not-found' });
  });

  it('is not found, and the answer names the machines that did not say', async () => {
    answers.set('a', hasNot).set('b', refuses).set('c', undefined);
    expect(await find()).toMatchObject({
      code: 'terminal-not-found',
      unasked: [
        { machineId: 'b', code: 'not-granted' },
        { machineId: 'c', code: 'machine-unreachable' },
      ],
    });
  });

  it('is asked of where it was, if it is nowhere now', async () => {
    answers.set('a', hasNot).set('b', has);
    await find();
    answers.set('b', undefined);
    expect(await find()).toBe('b');
    answers.delete('b');
    expect(await find()).toEqual({ code: 'terminal-not-found' });
  });
});

describe('the list of all terminals', () => {
  const terminals = (id: string) => ({ status: 200, body: { terminals: [{ id, name: `name of ${id}` }] } });

  it('has those of an offline machine as it has listed them last, and says which machines were not asked', async () => {
    answers.set('a', terminals('term_1')).set('b', refuses);
    const first = await roster.terminals(client);
    expect(first.terminals).toEqual([
      {
        id: 'term_1',
        title: 'name of term_1',
        running: true,
        machineId: 'a',
        os: 'linux',
        deviceName: 'name of a',
      },
    ]);
    expect(first.unasked).toMatchObject([{ machineId: 'b', code: 'not-granted' }]);
    answers.set('a', undefined);
    const second = await roster.terminals(client);
    expect(second.terminals).toEqual([{ ...first.terminals[0], seenAt: expect.any(Number) }]);
    expect(second.unasked.map(({ machineId }) => machineId)).toEqual(['a', 'b']);
    answers.set('a', terminals('term_2'));
    expect((await roster.terminals(client)).terminals.map(({ id }) => id)).toEqual(['term_2']);
  });

  it('is sent again only by machines whose list is another one now', async () => {
    answers.set('a', terminals('term_1')).set('b', terminals('term_2'));
    const idsListed = async () => (await roster.terminals(client)).terminals.map(({ id }) => id);
    const sent = async () => {
      bytes = 0;
      return { ids: await idsListed(), bytes };
    };
    const first = await sent();
    expect(first.ids).toEqual(['term_1', 'term_2']);
    expect(await sent()).toEqual({ ids: first.ids, bytes: 0 });
    answers.set('b', terminals('term_3'));
    expect(await sent()).toEqual({ ids: ['term_1', 'term_3'], bytes: first.bytes / 2 });
    // A machine that stopped showing its terminals sends them when it shows them again.
    answers.set('b', refuses);
    expect((await sent()).ids).toEqual(['term_1']);
    answers.set('b', terminals('term_3'));
    expect((await sent()).ids).toEqual(['term_1', 'term_3']);
  });

  it('says so of a machine that answers something else', async () => {
    answers.set('a', { status: 200, body: { terminals: 'many' } }).set('b', terminals('term_2'));
    const { terminals: listed, unasked } = await roster.terminals(client);
    expect(listed.map(({ id }) => id)).toEqual(['term_2']);
    expect(unasked).toMatchObject([{ machineId: 'a', code: 'fleet-protocol' }]);
  });
});
