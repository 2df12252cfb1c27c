import { describe, expect, test } from 'vitest';
import { decide, holding, type Verdict } from '#dist/actors/agents/agent-status.js';
import { RuleBook } from '#dist/actors/agents/rule-book.js';
import type { Sight } from '#dist/actors/agents/scene.js';
import { SettingsFile as Settings, type SettingsFile } from '#dist/contract/settings.js';
import { AGENT_MENUS } from '../support/agent-menus.js';
import { AGENT_SCREENS } from '../support/agent-screens.js';

const COLUMNS = 80;

/** A screen of 24 rows with this text, quiet for a minute, the cursor on its last row. */
function sight(text: string, rest: Partial<Sight> & { cursorBelow?: number } = {}): Sight {
  const lines = text.replace(/^\n/, '').split('\n');
  const rows = [...lines, ...Array.from({ length: 24 - lines.length }, () => '')];
  const { cursorBelow = 0, ...given } = rest;
  const cursorRow = lines.length - 1 + cursorBelow;
  return { rows, title: '', cursorRow, hasPrinted: true, takesLines: () => false, quietMs: 60_000, ...given };
}

function settingsOf(agents: unknown): SettingsFile['agents'] {
  return Settings.parse({ agents }).agents;
}

function verdictOf(agent: string, seen: Sight, agents: unknown = {}): Verdict {
  const settings = settingsOf(agents);
  return decide(seen, new RuleBook(() => settings).rulesFor(agent), COLUMNS);
}

describe('screens that agents draw', () => {
  test.each(AGENT_SCREENS)(
    '$agent: $status by $name',
    ({ agent, status, screen, title = '', cursorBelow = 0 }) => {
      const verdict = verdictOf(agent, sight(screen, { title, cursorBelow }));
      expect(verdict).toMatchObject({
        status,
        rule: { status, where: title ? 'title' : expect.any(String) },
      });
      const shown = title || screen.split('\n').map((line) => line.trim());
      expect(shown).toContain(verdict.line);
    },
  );

  test.each(AGENT_SCREENS)('$agent: $status by $name, further up on a large screen', (screen) => {
    const title = screen.title ?? '';
    const below = Array.from({ length: 60 }, () => '').join('\n');
    const above = Array.from({ length: 100 }, (_, row) => `earlier row ${row}`).join('\n');
    const rows = `${above}\n${screen.screen.replace(/^\n/, '')}${below}`.split('\n');
    const cursorRow = 99 + screen.screen.replace(/^\n/, '').split('\n').length;
    const verdict = verdictOf(screen.agent, {
      rows,
      title,
      cursorRow,
      hasPrinted: true,
      takesLines: () => false,
      quietMs: 60_000,
    });
    expect(verdict.status).toBe(screen.status);
  });
});

test.each(AGENT_MENUS)(
  '%s: %s counts as a question, whatever its title says',
  (agent, _name, screen, title = '') => {
    expect(verdictOf(agent, sight(screen, { title })).status).toBe('waiting');
  },
);

describe('the rule that decides', () => {
  test('the first of several that match, on its lowest row', () => {
    const text = '✻ Pondering… (4s)\n❯ 1. Yes\n❯ 1. Yes\n❯';
    expect(verdictOf('claude', sight(text))).toMatchObject({ status: 'waiting', row: 2, line: '❯ 1. Yes' });
  });

  test('a question that was answered line by line has moved up from the cursor', () => {
    const asked = "Allow this action? Use 't' to trust. [y/n/t]:\n\n> y";
    expect(verdictOf('q', sight(asked)).status).toBe('waiting');
    expect(verdictOf('q', sight(asked, { cursorBelow: 1, quietMs: 10 })).status).toBe('working');
  });

  test('a line that the terminal wrapped is read whole, wherever it was cut', () => {
    const question = "Allow this action? Use 't' to trust (always allow) this tool for the session. [y/n/t]:";
    for (let columns = 20; columns <= 90; columns++) {
      const rows = question.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [];
      const cut = [...rows.map((row) => row.trimEnd()), '', '> ', ''];
      const seen = {
        rows: cut,
        title: '',
        cursorRow: cut.length - 2,
        hasPrinted: true,
        takesLines: () => false,
        quietMs: 60_000,
      };
      const { status } = decide(seen, new RuleBook(() => ({})).rulesFor('q'), columns);
      expect({ columns, status }).toEqual({ columns, status: 'waiting' });
    }
  });

  test('signs quoted in a conversation further up do not count', () => {
    const talk =
      'press esc to interrupt\nDo you want to proceed? (y/n)\nesc to cancel\nEnter to select\n'.repeat(3);
    const box = '\n\n● I have explained the signs.\n\n────\n❯\n────\n  ? for shortcuts';
    expect(verdictOf('claude', sight(talk + box)).status).toBe('idle');
  });

  test('if no rule matches, printing is working and quiet is idle', () => {
    const printing = verdictOf('jules', sight('some text', { quietMs: 1_499 }));
    expect(printing).toEqual({
      status: 'working',
      reason: 'it has printed within the last 1.5 s',
      row: null,
      line: null,
    });
    expect(verdictOf('jules', sight('some text', { quietMs: 1_500 }))).toMatchObject({
      status: 'idle',
      reason: 'it has printed nothing for 1.5 s',
    });
  });

  test('the status of an agent that has printed nothing is unknown, whatever is on the screen', () => {
    const box = `● Done.\n────\n❯\n────\n  ? for shortcuts`;
    const unknown = { status: null, reason: 'it has printed nothing yet', row: null, line: null };
    expect(verdictOf('claude', sight(box, { hasPrinted: false, quietMs: 19_999 }))).toEqual(unknown);
    const late = verdictOf('claude', sight(box, { hasPrinted: false, quietMs: 20_000 }));
    expect(late).toMatchObject({ status: 'idle', reason: 'it has printed nothing yet' });
  });

  test('a quiet agent whose terminal is in line mode is not idle before 20 s, whatever its screen shows', () => {
    const takesLines = () => true;
    expect(verdictOf('claude', sight('Loading', { takesLines, quietMs: 19_999 }))).toMatchObject({
      status: null,
      reason: 'it seems to start: its terminal hands out input line by line',
    });
    expect(verdictOf('claude', sight('Loading', { takesLines, quietMs: 20_000 })).status).toBe('idle');
    expect(verdictOf('claude', sight('Loading', { takesLines, quietMs: 9 })).status).toBe('working');
    // The prompt of a shell above it may look like its own.
    for (const text of ['❯ claude', '❯ claude\nLoading', '────\n❯\n────']) {
      expect(verdictOf('claude', sight(text, { takesLines, quietMs: 9_000 })).status).toBe(null);
      expect(verdictOf('claude', sight(text, { quietMs: 9_000 })).status).toBe('idle');
    }
    expect(verdictOf('claude', sight('❯ claude\nLoading', { takesLines, quietMs: 9 })).status).toBe(
      'working',
    );
    expect(verdictOf('claude', sight(' Esc to cancel', { takesLines, quietMs: 9_000 })).status).toBe(
      'waiting',
    );
  });

  test('an empty screen, and a cursor below all text', () => {
    const seen = { title: '', hasPrinted: true, takesLines: () => false };
    expect(verdictOf('claude', { ...seen, rows: [], cursorRow: 0, quietMs: 0 }).status).toBe('working');
    expect(verdictOf('aider', { ...seen, rows: ['> '], cursorRow: 900, quietMs: 9_999 }).status).toBe('idle');
  });
});

describe('rules of the settings', () => {
  const rules = (...list: object[]) => ({ Claude: { rules: list } });

  test('come before the built-in rules, in their order', () => {
    const box = sight('● Done.\n────\n❯\n────\n  ? for shortcuts');
    const mine = [
      { status: 'waiting', text: 'nowhere' },
      { status: 'working', text: 'DO*e.' },
      { status: 'waiting', text: 'done' },
    ];
    const verdict = verdictOf('claude', box, rules(...mine));
    expect(verdict).toMatchObject({
      status: 'working',
      line: '● Done.',
      row: 0,
      rule: { source: 'settings' },
    });
    expect(verdict.reason).toContain('DO*e.');
  });

  test('look only at the given number of rows, or at the title', () => {
    const seen = sight('one\n\ntwo\nthree', { title: 'Needs you' });
    const status = (rule: object) => verdictOf('claude', seen, rules({ status: 'waiting', ...rule })).status;
    expect(status({ text: 'two', rows: 2 })).toBe('waiting');
    expect(status({ text: 'two', rows: 1 })).toBe('idle');
    expect(status({ text: 'one', rows: 3 })).toBe('waiting');
    expect(status({ text: 'needs', where: 'title' })).toBe('waiting');
    expect(status({ text: 'needs' })).toBe('idle');
  });

  test('give an agent without built-in rules its statuses', () => {
    const agents = { house: { commands: ['house'], rules: [{ status: 'waiting', text: 'your turn' }] } };
    expect(verdictOf('house', sight('It is YOUR TURN.'), agents).status).toBe('waiting');
    expect(verdictOf('house', sight('no'), agents)).toMatchObject({ status: 'idle' });
  });

  test('are read again only after they change', () => {
    let settings = settingsOf({});
    const book = new RuleBook(() => settings);
    const before = book.rulesFor('claude');
    expect(book.rulesFor('claude')).toBe(before);
    settings = settingsOf(rules({ status: 'idle', text: 'x' }));
    expect(book.rulesFor('claude')).toHaveLength(before.length + 1);
  });

  test.each(['constructor', '__proto__', 'toString'])('%s is no agent', (agent) => {
    const book = new RuleBook(() => ({}));
    expect(book.rulesFor(agent).map(({ source }) => source)).not.toContain('agent');
  });
});

test('each rule by itself: whether it matches', () => {
  const settings = settingsOf({ claude: { rules: [{ status: 'idle', text: 'here' }] } });
  const book = new RuleBook(() => settings);
  const rules = book.rulesFor('claude');
  const seen = sight('here\n❯ 1. Yes\nEsc to cancel');
  const held = rules.filter((_, index) => holding(seen, rules, COLUMNS)[index]);
  expect(held.map(({ status }) => status)).toEqual(['idle', 'waiting', 'waiting', 'idle', 'waiting']);
});
