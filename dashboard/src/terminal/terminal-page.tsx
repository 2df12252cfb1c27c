import { useRef, useState } from 'react';
import { Link, useLocation, useParams, useSearchParams } from 'wouter';
import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';
import { useLooking } from '../looked/use-looking.js';
import { useSubject } from '../parts/page-title.js';
import { useShortcuts } from '../parts/shortcuts.js';
import { attempt, say } from '../parts/toasts.js';
import { service } from '../service.js';
import '../style/terminal.css';
import { Asked, type Question } from './asked.js';
import { CommandsRail } from './commands-rail.js';
import { FindBar } from './find-bar.js';
import { KeyRow } from './key-row.js';
import { CommandDialog, EarlierDialog, ScreenDialog } from './output-dialogs.js';
import { SinceLooked } from './since-looked.js';
import { TerminalFacts } from './terminal-facts.js';
import { TerminalStatus } from './terminal-status.js';
import { TerminalTools } from './terminal-tools.js';
import { useFit, type Zoom } from './use-fit.js';
import { useTypedTerminal } from './use-typed-terminal.js';

type Reading = 'screen' | 'earlier' | { id: string; commandLine?: string; endedAt?: number | null };

/** One terminal: its screen to type into, and the commands of its shell. */
export default function TerminalPage() {
  const { id } = useParams<{ id: string }>();
  const [attempts, setAttempts] = useState(0);
  // Dialogs and state of one terminal must not carry over to the next.
  return <TerminalView key={`${id} ${attempts}`} id={id} onAttach={() => setAttempts(attempts + 1)} />;
}

function TerminalView({ id, onAttach }: { id: string; onAttach: () => void }) {
  const [, go] = useLocation();
  const [search] = useSearchParams();
  const at = search.get('at') ?? undefined;
  const terminal = useFleet((state) => state.terminals.get(id));
  const [zoom, setZoom] = useState<Zoom>('fit');
  const [isFinding, setFinding] = useState(false);
  const [hasRail, setRail] = useState(true);
  const [question, ask] = useState<Question>();
  const [reading, read] = useState<Reading | undefined>(at === undefined ? undefined : { id: at });
  const { before, forget } = useLooking(id);
  const mainRef = useRef<HTMLElement>(null);
  const paneRef = useRef<HTMLDivElement>(null);
  const hostRef = useRef<HTMLDivElement>(null);

  const { opened, state, hovered, matches, isFocused, actions } = useTypedTerminal(hostRef, {
    terminalId: id,
    ask,
    onFind: () => setFinding(true),
    onLeave: () => mainRef.current?.focus(),
  });
  const sizeThatFits = useFit(paneRef, hostRef, opened, state.size, zoom);
  const focus = () => opened?.screen.term.focus();
  useShortcuts({ Enter: focus, '/': () => setFinding(true) });

  const jump = ({ commandLine }: { commandLine: string }, newer: number) => {
    if (!opened?.screen.scrollToCommand(commandLine, newer))
      say('It is no longer among the lines of this window: its output is behind the command itself');
  };

  const name = plainLabel(terminal?.name ?? id);
  const title = plainLabel(state.title);
  useSubject(title ? `${name} · ${title}` : name);

  const close = async () => {
    if (await attempt('Not closed', service.terminals.get(id).close())) go('/');
  };

  return (
    <main ref={mainRef} className="terminal-page" tabIndex={-1}>
      <header className="terminal-head">
        {terminal ? (
          <TerminalFacts terminal={terminal} size={state.size} title={title} />
        ) : (
          <Link href="/">‹ Wall</Link>
        )}
        <TerminalTools
          terminalId={id}
          isLive={state.phase.name === 'live'}
          isEnded={state.phase.name === 'exited'}
          hasRail={hasRail}
          zoom={zoom}
          onZoom={setZoom}
          onFind={() => setFinding(true)}
          onRead={read}
          onRail={() => setRail(!hasRail)}
          onTakeSize={() => void actions.takeSize(sizeThatFits())}
          onClose={() => ask({ kind: 'close' })}
        />
      </header>
      <div className="terminal-body">
        <div className="terminal-column">
          {isFinding && opened && (
            <FindBar
              terminalId={id}
              screen={opened.screen}
              matches={matches}
              onClose={() => {
                setFinding(false);
                focus();
              }}
            />
          )}
          <SinceLooked key={before.at} terminalId={id} before={before} onForget={forget} />
          <div ref={paneRef} className="terminal-pane">
            <div ref={hostRef} className="terminal-host" data-keys="terminal" />
          </div>
          <TerminalStatus
            terminalId={id}
            state={state}
            isFocused={isFocused}
            hovered={hovered}
            onAttach={onAttach}
          />
          <KeyRow
            onKey={(data) => opened?.session.type(data)}
            onLine={actions.typeLine}
            isApplication={() => opened?.screen.term.modes.applicationCursorKeysMode ?? false}
          />
        </div>
        {hasRail && <CommandsRail terminalId={id} at={at} onOpen={read} onJump={jump} />}
      </div>
      {question && (
        <Asked
          question={question}
          name={name}
          isEnded={state.phase.name === 'exited'}
          onClipboard={actions.answerClipboard}
          onSize={(size) => void actions.resize(size)}
          onCloseTerminal={() => void close()}
          onClose={() => ask(undefined)}
        />
      )}
      {reading === 'screen' && opened && (
        <ScreenDialog read={() => opened.screen.text()} onClose={() => read(undefined)} />
      )}
      {reading === 'earlier' && <EarlierDialog terminalId={id} onClose={() => read(undefined)} />}
      {typeof reading === 'object' && (
        <CommandDialog terminalId={id} command={reading} onClose={() => read(undefined)} />
      )}
    </main>
  );
}
