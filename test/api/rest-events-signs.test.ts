import { describe, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { TerminalView } from '#dist/contract/terminal-view.js';
import { EventStream } from '../support/event-client.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();

const open = (query = '') => EventStream.open(used.service.url, { query });

/** Runs a script that waits for a line of input at each `read x`. */
const run = async (script: string) => {
  const body = { command: ['sh', '-c', `stty -echo; ${script}; cat`] };
  return (await used.api.post<Terminal>('/api/terminals', body)).body.id;
};
const goOn = (id: string) => used.api.post(`/api/terminals/${id}/input`, { data: 'x\r' });
const titleOf = async (id: string) => {
  const { body } = await used.api.get<{ terminals: TerminalView[] }>('/api/terminals?view=full');
  return body.terminals.find((terminal) => terminal.id === id)?.title;
};

describe('terminal.title', () => {
  it('reports a title that a program sets, to those who ask for it, without an id', async () => {
    const [named, all] = [await open('types=terminal.title'), await open()];
    await named.until(() => named.events.length > 0);
    const { id: position } = named.events[0]!;
    const id = await run(
      String.raw`printf '\033]0;on\t\342\200\256e\007'; read x; printf '\033]2;one\033\\\033]1;icon\007'; read x; printf '\033]2;two\033\\'`,
    );
    const one = await named.first('terminal.title', id);
    expect([one.id, one.data.data]).toEqual([position, { title: 'one' }]);
    expect(await titleOf(id)).toBe('one');
    await goOn(id);
    await goOn(id);
    await named.until(() => named.of('terminal.title').length === 2);
    // A repeated title and a title of the icon alone cause no event.
    expect(named.events.slice(1).map(({ data }) => data.data)).toEqual([{ title: 'one' }, { title: 'two' }]);
    expect(await titleOf(id)).toBe('two');
    await used.api.delete(`/api/terminals/${id}`);
    await all.first('terminal.removed', id);
    expect(all.types).not.toContain('terminal.title');
    for (const stream of [named, all]) await stream.cut();
  });

  it('reports the last of many, also at the end of the program', async () => {
    const stream = await open('types=terminal.title,terminal.exited');
    const script = String.raw`for n in 1 2 3 4 5 6 7 8 9; do printf "\033]0;title $n\007"; done`;
    const body = { command: ['sh', '-c', script] };
    const { id } = (await used.api.post<Terminal>('/api/terminals', body)).body;
    await stream.first('terminal.exited', id);
    const own = stream.events.filter(({ data }) => data.terminalId === id);
    // The program's end is written to disk before it is sent, so it comes after the last title.
    expect(own.at(-2)?.data.data).toEqual({ title: 'title 9' });
    await stream.cut();
  });

  it('is empty in the list until a program sets one', async () => {
    const id = await run(':');
    expect(await titleOf(id)).toBe('');
  });
});

describe('terminal.bell', () => {
  it('reports that a program rings, and not the end of a title', async () => {
    const [named, all] = [await open('types=terminal.bell,terminal.title'), await open()];
    const id = await run(String.raw`read x; printf '\033]0;quiet\007'; read x; printf 'ding\a'`);
    await goOn(id);
    await named.first('terminal.title', id);
    expect(named.types).toEqual(['terminal.title']);
    await goOn(id);
    const bell = await named.first('terminal.bell', id);
    expect([bell.id, bell.data.data]).toEqual([named.events[0]?.id, {}]);
    await used.api.delete(`/api/terminals/${id}`);
    await all.first('terminal.removed', id);
    expect(all.types).not.toContain('terminal.bell');
    for (const stream of [named, all]) await stream.cut();
  });

  it('is left out for other terminals and labels', async () => {
    const [all, loud] = [
      await open('types=terminal.bell'),
      await open('types=terminal.bell&selector=role=loud'),
    ];
    const script = String.raw`read x; printf '\a'; cat`;
    const quiet = await run(script);
    const body = { command: ['sh', '-c', script], labels: { role: 'loud' } };
    const { id } = (await used.api.post<Terminal>('/api/terminals', body)).body;
    await goOn(quiet);
    await all.first('terminal.bell', quiet);
    await goOn(id);
    await loud.first('terminal.bell', id);
    expect(loud.of('terminal.bell').map(({ data }) => data.terminalId)).toEqual([id]);
    for (const stream of [all, loud]) await stream.cut();
  });
});
