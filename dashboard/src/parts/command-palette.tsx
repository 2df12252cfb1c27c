import { Command } from 'cmdk';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useFleet } from '../fleet/fleet-store.js';
import { statusOf } from '../fleet/status.js';
import { plainLabel } from '../fleet/words.js';
import { addressOf, PAGES } from '../pages.js';
import { service } from '../service.js';
import '../style/palette.css';
import { Dialog } from './dialog.js';
import { StatusMark } from './status-mark.js';
import { chooseTheme, THEME_CHOICES } from './theme.js';
import { attempt } from './toasts.js';

/** Most terminals that are listed; a thousand would take longer to draw than to filter. */
const MAX_TERMINALS = 50;

/** Returns how well a name matches the typed text, 0 for not at all: the whole name comes first, then its beginning. */
function matchOf(name: string, text: string): number {
  const at = name.toLowerCase().indexOf(text.trim().toLowerCase());
  if (at < 0) return 0;
  return (at === 0 ? 0.5 : 0.25) * (1 + text.length / Math.max(1, name.length));
}

/** Goes to pages and terminals by a few letters, and runs commands that have no place of their own. */
export default function CommandPalette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [, go] = useLocation();
  const terminals = useFleet((state) => state.terminals);
  const wanted = text.trim().toLowerCase();
  const found = [...terminals.values()]
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .slice(0, MAX_TERMINALS);
  const choose = (action: () => void) => () => {
    onClose();
    action();
  };
  const create = async () => {
    await attempt(
      'The terminal could not be created',
      service.terminals.create().then(({ id }) => go(`/t/${id}`)),
    );
  };
  return (
    <Dialog title="Go to, or do" onClose={onClose} className="palette">
      <Command
        label="Go to, or do"
        loop
        filter={(value, text, keywords) => matchOf(keywords?.[0] ?? value, text)}
      >
        <Command.Input
          value={text}
          onValueChange={setText}
          placeholder="a page, a terminal, an action"
          data-first
        />
        <Command.List>
          <Command.Empty>Nothing is called so.</Command.Empty>
          <Command.Group heading="Pages">
            {PAGES.filter(({ key }) => key).map((page) => (
              <Command.Item
                key={page.path}
                value={`page ${page.name}`}
                keywords={[page.name]}
                onSelect={choose(() => go(addressOf(page)))}
              >
                {page.name}
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading="Actions">
            <Command.Item onSelect={choose(create)}>New terminal</Command.Item>
            {THEME_CHOICES.map((theme) => (
              <Command.Item key={theme} onSelect={choose(() => chooseTheme(theme))}>
                Theme: {theme}
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading="Terminals">
            {found.map((terminal) => (
              <Command.Item
                key={terminal.id}
                value={terminal.id}
                keywords={[terminal.name]}
                onSelect={choose(() => go(`/t/${terminal.id}`))}
              >
                <StatusMark status={statusOf(terminal)} word={false} /> {plainLabel(terminal.name)}
              </Command.Item>
            ))}
          </Command.Group>
        </Command.List>
      </Command>
    </Dialog>
  );
}
