import { useState } from 'react';
import { Link } from 'wouter';
import type { TerminalSize } from '../../../src/client/browser.js';
import type { FleetTerminal } from '../fleet/after-event.js';
import { statusOf } from '../fleet/status.js';
import { plainLabel } from '../fleet/words.js';
import { Age } from '../parts/age.js';
import { StatusMark } from '../parts/status-mark.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';

/** The name of a terminal, which a click lets a person change. */
function TerminalName({ terminal: { id, name } }: { terminal: FleetTerminal }) {
  const [draft, setDraft] = useState<string>();
  if (draft === undefined) {
    return (
      <h1 className="terminal-name">
        <button type="button" title="Rename" onClick={() => setDraft(name)}>
          {plainLabel(name)}
        </button>
      </h1>
    );
  }
  const save = async () => {
    if (draft === name || draft === '') return setDraft(undefined);
    if (await attempt('Not renamed', service.terminals.get(id).update({ name: draft }))) setDraft(undefined);
  };
  return (
    <form
      className="terminal-name"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        aria-label="Name of the terminal"
        // biome-ignore lint/a11y/noAutofocus: a person has just asked to type here
        autoFocus
        onFocus={({ target }) => target.select()}
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && setDraft(undefined)}
        onBlur={() => setDraft(undefined)}
      />
    </form>
  );
}

/** Origin and time of the last input. */
function TypedBy({ terminal: { id, lastInputSource, lastInputAt } }: { terminal: FleetTerminal }) {
  if (lastInputSource === null || lastInputAt === null) return null;
  return (
    <Link className="typed-by" href={`/guardrails/audit?terminal=${id}`} title="Who has typed what">
      typed by {lastInputSource} <Age since={lastInputAt} /> ago
    </Link>
  );
}

interface TerminalHeadProps {
  terminal: FleetTerminal;
  size: TerminalSize | undefined;
  /** Title that the program has set. */
  title: string;
}

/** Facts about the terminal, and its status. */
export function TerminalFacts({ terminal, size, title }: TerminalHeadProps) {
  const { agent, agentStatusReason, cwd } = terminal;
  return (
    <>
      <Link href="/" className="back">
        ‹ Wall
      </Link>
      <StatusMark status={statusOf(terminal)} />
      <TerminalName terminal={terminal} />
      {title !== '' && (
        <span className="terminal-title" title={plainLabel(title)}>
          {plainLabel(title)}
        </span>
      )}
      {agent !== null && <span className="terminal-fact">{plainLabel(agent)}</span>}
      {agentStatusReason !== null && <span className="terminal-fact">{plainLabel(agentStatusReason)}</span>}
      {cwd !== null && <code className="terminal-cwd">{plainLabel(cwd)}</code>}
      {size && (
        <span className="terminal-fact">
          {size.cols}×{size.rows}
        </span>
      )}
      <TypedBy terminal={terminal} />
    </>
  );
}
