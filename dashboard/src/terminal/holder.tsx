import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { LeaseState } from '../../../src/client/browser.js';
import { useServiceEvents } from '../fleet/event-bus.js';
import { useNow } from '../fleet/use-now.js';
import { shortSpan } from '../fleet/words.js';
import { queries } from '../parts/queries.js';
import { useShortcuts } from '../parts/shortcuts.js';
import { TextDialog } from '../parts/text-dialog.js';
import { attempt, say } from '../parts/toasts.js';
import { QueuedPrompts } from '../prompts/queued-prompts.js';
import { service } from '../service.js';
import '../style/holder.css';
import { dropLease, giveBack, takeOver, useHeldLeases } from './held-leases.js';
import { linesOfLine, wordsOfHolder, wordsOfLine, wordsOfLoss } from './holder-words.js';

/** The state is polled: no event reports half-typed lines or waiting writers. */
const REFRESH_MS = 2_000;

const KEEP_OUT =
  'No program can type here until you give it back or leave the page (t). A key alone only ends who has it now.';

/** The time left of a lease, unless it is renewed. */
function TimeLeft({ until }: { until: number }) {
  const left = useNow((now) => shortSpan(Math.max(0, until - now)));
  return <span className="holder-fact">{left} left</span>;
}

/** The holder of the terminal and the waiting writers, with a button that takes the terminal or gives it back. */
export default function Holder({ terminalId }: { terminalId: string }) {
  const ours = useHeldLeases(({ leases }) => leases.get(terminalId));
  const isAsking = useRef(false);
  const queryKey = ['input-state', terminalId];
  const { data: state } = useQuery({
    queryKey,
    queryFn: ({ signal }) => service.terminals.get(terminalId).leases.state({ signal }),
    refetchInterval: REFRESH_MS,
    staleTime: 0,
  });
  const refresh = () => queries.invalidateQueries({ queryKey });
  useServiceEvents('input.changed', (event) => {
    if (event.terminalId !== terminalId) return;
    const { lease } = event.data as { lease?: { state: string; why: string; fence: number } };
    if (lease?.state === 'ended' && lease.fence === ours?.fence) {
      dropLease(terminalId);
      say(wordsOfLoss(lease.why), true);
    }
    void refresh();
  });
  // Leaving the page gives the terminal back: programs would wait for a person who has left.
  const leavingRef = useRef<AbortController>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    leavingRef.current = leaving;
    const leave = () => void giveBack(terminalId).catch(() => undefined);
    addEventListener('pagehide', leave, { signal: leaving.signal });
    return () => {
      leaving.abort();
      leave();
    };
  }, [terminalId]);

  const change = async () => {
    // A disabled button would lose the focus.
    if (isAsking.current) return;
    isAsking.current = true;
    if (ours) await attempt('Not given back', giveBack(terminalId));
    else await attempt('Not taken over', takeOver(terminalId, leavingRef.current!));
    // The button already shows its next action, so a key counts while the state is fetched.
    isAsking.current = false;
    await refresh();
  };
  const buttonRef = useRef<HTMLButtonElement>(null);
  // The terminal takes the Tab key, so Tab alone cannot reach this button.
  useShortcuts({
    t: () => {
      buttonRef.current?.focus();
      void change();
    },
  });
  if (!state) return null;
  return (
    <span className="holder">
      <HolderFacts state={state} isOurs={ours !== undefined} />
      <QueuedPrompts terminalId={terminalId} />
      <button ref={buttonRef} type="button" title={ours ? 't' : KEEP_OUT} onClick={() => void change()}>
        {ours ? 'Give back' : state.holder ? 'Take over' : 'Keep programs out'}
      </button>
    </span>
  );
}

function HolderFacts({ state, isOurs }: { state: LeaseState; isOurs: boolean }) {
  const [isReading, setReading] = useState(false);
  const words = wordsOfHolder(state, isOurs);
  const line = wordsOfLine(state);
  const isOthers = !isOurs && state.holder !== null;
  return (
    <>
      <span role="status" className={isOurs ? 'holder-ours' : 'holder-other'} title={words}>
        {words}
      </span>
      {isOthers && state.expiresAt !== null && <TimeLeft until={state.expiresAt} />}
      {state.draft && <span className="holder-fact">a person's half-typed line</span>}
      {line !== undefined && (
        <button type="button" onClick={() => setReading(true)}>
          {line}
        </button>
      )}
      {isReading && (
        <TextDialog title="In line to type" text={linesOfLine(state)} onClose={() => setReading(false)} />
      )}
    </>
  );
}
