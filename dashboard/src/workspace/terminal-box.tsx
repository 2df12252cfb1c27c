import { useRef, useState } from 'react';
import '../style/terminal.css';
import { useLooking } from '../looked/use-looking.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';
import { Asked, type Question } from '../terminal/asked.js';
import { TerminalStatus } from '../terminal/terminal-status.js';
import { useFit } from '../terminal/use-fit.js';
import { useTypedTerminal } from '../terminal/use-typed-terminal.js';

interface TerminalBoxProps {
  terminalId: string;
  name: string;
  /** Called when a person takes the keys away from it, or wants to attach again. */
  onLeave: () => void;
}

/** A terminal to type into, without the tools of its own page. */
export function TerminalBox({ terminalId, name, onLeave }: TerminalBoxProps) {
  const [question, ask] = useState<Question>();
  const paneRef = useRef<HTMLDivElement>(null);
  const hostRef = useRef<HTMLDivElement>(null);
  const { opened, state, hovered, isFocused, actions } = useTypedTerminal(hostRef, {
    ...{ terminalId, ask, onLeave },
    // The search has its place on the terminal's own page.
    onFind: () => undefined,
  });
  useLooking(terminalId);
  useFit(paneRef, hostRef, opened, state.size, 'fit');
  return (
    <>
      <div ref={paneRef} className="terminal-pane">
        <div ref={hostRef} className="terminal-host" data-keys="terminal" />
      </div>
      <TerminalStatus
        terminalId={terminalId}
        state={state}
        isFocused={isFocused}
        hovered={hovered}
        onAttach={onLeave}
      />
      {question && (
        <Asked
          question={question}
          name={name}
          isEnded={state.phase.name === 'exited'}
          onClipboard={actions.answerClipboard}
          onSize={(size) => void actions.resize(size)}
          onCloseTerminal={() => void attempt('Not closed', service.terminals.get(terminalId).close())}
          onClose={() => ask(undefined)}
        />
      )}
    </>
  );
}
