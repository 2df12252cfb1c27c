import { describe, expect, test } from 'vitest';
import { agentRig } from '../support/agent-rig.js';

const WAITING = 'Do you want to proceed?\n❯ 1. Yes\n  2. No\n\n Esc to cancel';

describe('explain', () => {
  test('names the rule, the row and its text, and the other rules that match', async () => {
    const { watch, terminals, settings } = agentRig();
    settings.rules('claude', { status: 'idle', text: 'nowhere' });
    terminals.set('a', { agent: 'claude', text: WAITING, quietMs: 20 });
    const explained = await watch.explain('a');
    expect(explained).toMatchObject({
      agent: 'claude',
      agentStatus: 'waiting',
      rule: { source: 'agent', status: 'waiting', where: 'bottom', rows: 3, text: 'esc to cancel' },
      row: 4,
      line: 'Esc to cancel',
      title: '',
      quietMs: 20,
    });
    expect(explained.rules[0]).toMatchObject({ source: 'settings', text: 'nowhere', holds: false });
    expect(explained.rules.filter(({ holds }) => holds).map(({ text }) => text)).toContain('esc to cancel');
  });

  test.each([
    ['of a new terminal', { text: '', startedAt: 0 }],
    ['that a shell has started', { text: '$ jules', startedAt: 7 }],
  ])('the status of an agent %s is unknown until it prints', async (_, shown) => {
    const { watch, terminals } = agentRig();
    terminals.set('a', { agent: 'jules', quietMs: 9_000, ...shown });
    const unknown = { agentStatus: null, agentStatusReason: 'it has printed nothing yet' };
    expect(await watch.explain('a')).toMatchObject({
      agent: 'jules',
      ...unknown,
      rule: null,
      quietMs: 9_000,
    });
    terminals.show('a', ' ');
    expect(await watch.state('a')).toMatchObject({ agentStatus: 'working' });
  });

  test('without an agent every field is null; an unknown terminal and a late screen are errors', async () => {
    const { watch, terminals } = agentRig();
    terminals.set('a', { agent: null, text: '$' });
    expect(await watch.explain('a')).toEqual({
      ...{ agent: null, agentStatus: null, agentStatusReason: null },
      ...{ rule: null, row: null, line: null, title: null, quietMs: null, rules: [] },
    });
    await expect(watch.explain('b')).rejects.toMatchObject({ code: 'terminal-not-found' });
    terminals.set('c', { agent: 'claude', text: WAITING });
    terminals.hang('c', true);
    await expect(watch.explain('c')).rejects.toMatchObject({ code: 'unavailable' });
    expect(await watch.state('c')).toMatchObject({ agent: 'claude', agentStatus: null });
  });
});
