import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { ApiError, type ReachedMachine } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';
import { useSubject } from '../parts/page-title.js';
import { useShortcuts } from '../parts/shortcuts.js';
import { Asked, type Question } from '../terminal/asked.js';
import { FindBar } from '../terminal/find-bar.js';
import { KeyRow } from '../terminal/key-row.js';
import { ScreenDialog } from '../terminal/output-dialogs.js';
import type { SessionState } from '../terminal/session-state.js';
import { TerminalStatus } from '../terminal/terminal-status.js';
import { useFit, type Zoom } from '../terminal/use-fit.js';
import { useTypedTerminal } from '../terminal/use-typed-terminal.js';
import '../style/terminal.css';
import { machineOf } from './fleet-service.js';
import { maySomewhereType, nameOf } from './machine-words.js';
import { RemoteNote } from './remote-note.js';
import { RemoteState } from './remote-state.js';
import { RemoteTools } from './remote-tools.js';
import { useRoster } from './use-fleet.js';

interface RemoteTerminalProps {
  machine: ReachedMachine;
  id: string;
  /** Opens the terminal anew. */
  onAgain: () => void;
}

/** Whether the machine lets this machine see the terminal, but not type into it. */
function isTypingRefused({ phase }: SessionState): boolean {
  if (phase.name !== 'failed' || !(phase.error instanceof ApiError)) return false;
  return phase.error.code === 'not-granted' && phase.error.details.needs === 'type';
}

/** A terminal of another machine of the fleet. */
export function RemoteTerminal({ machine, id, onAgain }: RemoteTerminalProps) {
  const { machineId, online } = machine;
  // A page that opens while the machine is offline has nothing to show. An open page keeps its screen when the machine
  // goes offline.
  const [wasOnline, setWasOnline] = useState(online);
  useEffect(() => {
    if (online) setWasOnline(true);
  }, [online]);
  const listed = useRoster().data?.terminals.find((each) => each.id === id && each.machineId === machineId);
  const name = plainLabel(listed?.title || id);
  useSubject(`${name} on ${nameOf(machine)}`);
  if (wasOnline) return <RemoteView {...{ machine, id, name, onAgain }} />;
  return (
    <main className="terminal-page">
      <header className="terminal-head">
        <Head machine={machine} name={name} />
      </header>
      <RemoteState machine={machine} error={undefined} onAgain={onAgain} />
    </main>
  );
}

interface RemoteViewProps extends RemoteTerminalProps {
  name: string;
}

function Head({ machine, name }: Pick<RemoteViewProps, 'machine' | 'name'>) {
  return (
    <>
      <Link href="/machines" className="back">
        ‹ Machines
      </Link>
      <h1>{name}</h1>
      <span className="terminal-fact">on {nameOf(machine)}</span>
    </>
  );
}

function RemoteView({ machine, id, name, onAgain }: RemoteViewProps) {
  const [isWatching, setWatching] = useState(() => !maySomewhereType(machine));
  const [zoom, setZoom] = useState<Zoom>('fit');
  const [isFinding, setFinding] = useState(false);
  const [isReading, setReading] = useState(false);
  const [question, ask] = useState<Question>();
  const mainRef = useRef<HTMLElement>(null);
  const paneRef = useRef<HTMLDivElement>(null);
  const hostRef = useRef<HTMLDivElement>(null);
  const { opened, state, hovered, matches, isFocused, actions } = useTypedTerminal(hostRef, {
    ...{ terminalId: id, ask, readOnly: isWatching },
    from: machineOf(machine.machineId),
    onFind: () => setFinding(true),
    onLeave: () => mainRef.current?.focus(),
  });
  const isRefused = isTypingRefused(state);
  useEffect(() => {
    if (isRefused) setWatching(true);
  }, [isRefused]);
  const sizeThatFits = useFit(paneRef, hostRef, opened, state.size, zoom);
  const focus = () => opened?.screen.term.focus();
  useShortcuts({ Enter: focus, '/': () => setFinding(true) });
  const isLive = state.phase.name === 'live';
  const fault = state.phase.name === 'failed' && !isRefused ? state.phase : undefined;
  return (
    <main ref={mainRef} className="terminal-page" tabIndex={-1}>
      <header className="terminal-head">
        <Head machine={machine} name={name} />
        {state.title !== '' && <span className="terminal-title">{plainLabel(state.title)}</span>}
        {state.size && (
          <span className="terminal-fact">
            {state.size.cols}×{state.size.rows}
          </span>
        )}
        {!fault && (
          <RemoteTools
            {...{ zoom, isLive, isWatching }}
            onZoom={setZoom}
            onFind={() => setFinding(true)}
            onRead={() => setReading(true)}
            onTakeSize={() => void actions.resize(sizeThatFits())}
          />
        )}
      </header>
      {fault && <RemoteState machine={machine} error={fault.error} onAgain={onAgain} />}
      {!fault && (
        <div className="terminal-body">
          <div className="terminal-column">
            {isFinding && opened && (
              <FindBar
                screen={opened.screen}
                matches={matches}
                onClose={() => {
                  setFinding(false);
                  focus();
                }}
              />
            )}
            <RemoteNote machine={machine} phase={state.phase} isWatching={isWatching} />
            <div ref={paneRef} className="terminal-pane">
              <div ref={hostRef} className="terminal-host" data-keys="terminal" />
            </div>
            <TerminalStatus state={state} isFocused={isFocused} hovered={hovered} onAttach={onAgain} />
            {!isWatching && (
              <KeyRow
                onKey={(data) => opened?.session.type(data)}
                onLine={actions.typeLine}
                isApplication={() => opened?.screen.term.modes.applicationCursorKeysMode ?? false}
              />
            )}
          </div>
        </div>
      )}
      {question && (
        <Asked
          question={question}
          name={name}
          isEnded={state.phase.name === 'exited'}
          onClipboard={actions.answerClipboard}
          onSize={(size) => void actions.resize(size)}
          onCloseTerminal={() => undefined}
          onClose={() => ask(undefined)}
        />
      )}
      {isReading && opened && (
        <ScreenDialog read={() => opened.screen.text()} onClose={() => setReading(false)} />
      )}
    </main>
  );
}
