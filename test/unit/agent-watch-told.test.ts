import { describe, expect, it } from 'vitest';
import { agentRig } from '../support/agent-rig.js';

describe('agents that followers were told of earlier', () => {
  it('are reported as gone once nobody sees them any more, and once only', async () => {
    const rig = agentRig();
    rig.terminals.set('left', { agent: null, text: '$ ' });
    rig.terminals.set('never', { agent: null, text: '$ ' });
    rig.told.add('left');
    rig.watch.setFollowed(true);
    await rig.events.until('left null');
    rig.told.delete('left');
    await rig.looks.rounds(3);
    expect(rig.events.list).toEqual(['left null']);
    rig.watch.setFollowed(false);
    await rig.looks.rounds(1);
  });

  it('are told once more after a list has answered something else, which no event would correct', async () => {
    const { watch, terminals, events, looks } = agentRig();
    terminals.set('a', { agent: 'claude', text: '● Done.\n────\n❯\n────', quietMs: 60_000 });
    watch.setFollowed(true);
    await events.until('a idle');
    const answer = (agentStatus: 'idle' | 'working') =>
      watch.listed('a', { agent: 'claude', agentStatus, agentStatusReason: null });
    answer('idle');
    await looks.rounds(3);
    expect(events.list).toEqual(['a idle']);
    answer('working');
    await events.until('a idle', 2);
    await looks.rounds(3);
    expect(events.list).toEqual(['a idle', 'a idle']);
    watch.setFollowed(false);
    await looks.rounds(1);
  });

  it('are told once more to a follower that comes back, also while they are quiet', async () => {
    const { watch, terminals, events, looks } = agentRig();
    terminals.set('a', { agent: 'claude', text: '● Done.\n────\n❯\n────', quietMs: 60_000 });
    watch.setFollowed(true);
    await events.until('a idle');
    await looks.rounds(2);
    watch.announceAgain();
    await events.until('a idle', 2);
    await looks.rounds(3);
    expect(events.list).toEqual(['a idle', 'a idle']);
    watch.setFollowed(false);
    await looks.rounds(1);
  });
});
