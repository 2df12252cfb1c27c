import { useEffect, useRef } from 'react';
import type { Command } from '../../../src/client/browser.js';
import type { Status } from '../fleet/status.js';
import { durationOf, plainLabel } from '../fleet/words.js';
import { Age } from '../parts/age.js';
import { StatusMark } from '../parts/status-mark.js';
import '../style/commands.css';
import { wordsOf } from '../service.js';
import { useCommands } from './use-commands.js';

interface CommandsRailProps {
  terminalId: string;
  /** Id of the command that the page's address names by `at`: its row is marked, and scrolled into view. */
  at: string | undefined;
  onOpen: (command: Command) => void;
  /** Shows the place where the command was typed; `newer` commands of the same text have come after it. */
  onJump: (command: Command, newer: number) => void;
}

function statusOfCommand({ endedAt, exitCode }: Command): Status {
  if (endedAt === null) return 'working';
  return exitCode === null || exitCode === 0 ? 'idle' : 'failed';
}

function CommandEnd({ command }: { command: Command }) {
  const { endedAt, exitCode, durationMs } = command;
  if (endedAt === null) return <span className="command-end">running</span>;
  return (
    <span className={exitCode ? 'command-end exit-bad' : 'command-end'}>
      {exitCode === null ? 'exit unknown' : exitCode === 0 ? 'ok' : `exit ${exitCode}`}
      {durationMs !== null && ` · ${durationOf(durationMs)}`}
    </span>
  );
}

function CommandRow({
  command,
  isAt,
  onOpen,
  onJump,
}: {
  command: Command;
  isAt: boolean;
  onOpen: (command: Command) => void;
  onJump: () => void;
}) {
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isAt) ref.current?.scrollIntoView({ block: 'center' });
  }, [isAt]);
  const line = plainLabel(command.commandLine);
  return (
    <li className="command-row">
      <button
        ref={ref}
        type="button"
        className="command"
        aria-current={isAt ? 'true' : undefined}
        title={line}
        onClick={() => onOpen(command)}
      >
        <span className="command-line">
          <StatusMark status={statusOfCommand(command)} word={false} /> <code>{line}</code>
        </span>
        <span className="command-facts">
          <CommandEnd command={command} />
          <Age since={command.endedAt ?? command.startedAt} />
        </span>
      </button>
      <button type="button" className="command-jump" title="Show it in the terminal" onClick={onJump}>
        <span aria-hidden="true">↥</span>
        <span className="unseen">Show {line} in the terminal</span>
      </button>
    </li>
  );
}

/** Returns the number of commands with the same text that have come after a command. */
function newerThan(newestFirst: readonly Command[], { id, commandLine }: Command): number {
  const newer = newestFirst.slice(
    0,
    newestFirst.findIndex((each) => each.id === id),
  );
  return newer.filter((each) => each.commandLine === commandLine).length;
}

/** The commands of the shell, newest first: the outcome and duration of each, and its output on a click. */
export function CommandsRail({ terminalId, at, onOpen, onJump }: CommandsRailProps) {
  const { list, error } = useCommands(terminalId);
  return (
    <aside className="commands-rail" aria-label="Commands">
      <h2>Commands</h2>
      {error ? <p>{wordsOf(error)}</p> : null}
      {list?.commands.length === 0 && (
        <p>
          {list.integration === 'none' ? 'The program in this terminal reports no commands.' : 'None yet.'}
        </p>
      )}
      <ol>
        {list?.commands.map((command) => (
          <CommandRow
            key={command.id}
            command={command}
            isAt={command.id === at}
            onOpen={onOpen}
            onJump={() => onJump(command, newerThan(list.commands, command))}
          />
        ))}
      </ol>
    </aside>
  );
}
