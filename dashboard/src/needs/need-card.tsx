import { memo, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { FleetTerminal } from '../fleet/after-event.js';
import { useFleet } from '../fleet/fleet-store.js';
import { exitWords, plainLabel } from '../fleet/words.js';
import { Age } from '../parts/age.js';
import { StatusMark } from '../parts/status-mark.js';
import { LiveScreen } from '../screens/live-screen.js';
import { AnswerBox } from './answer-box.js';
import { sendKey } from './answers.js';
import type { Entry, Need } from './needs.js';
import { markDone, skip, snooze } from './needs-store.js';
import { KEY_BUTTONS } from './sending.js';
import { useInView } from './use-in-view.js';
import { Why } from './why.js';

const SNOOZES_MIN = [5, 15, 60] as const;
/** Phones: more columns would not be legible. */
const NARROW = matchMedia('(max-width: 640px)');
const NARROW_COLS = 52;
/** Height of a card that was not drawn yet, in pixels. */
const GUESSED_HEIGHT = 400;

interface NeedCardProps {
  entry: Entry;
  /** Whether it has left the queue, and is shown only because a person types into it. */
  isOver: boolean;
  onSent: (key: string) => void;
}

/** The need in a line. */
function Question({ need, terminal }: { need: Need; terminal: FleetTerminal }) {
  if (need.kind === 'waiting') {
    return (
      <div className="question">
        <span>{plainLabel(terminal.agentStatusReason ?? 'it waits')}</span>
        <Why needKey={need.key} terminalId={need.terminalId} />
      </div>
    );
  }
  if (need.kind === 'exited') {
    return <p className="question exit-bad">{exitWords(terminal)}</p>;
  }
  return (
    <p className="question">
      {need.failure?.commandLine ? (
        <code>{plainLabel(need.failure.commandLine)}</code>
      ) : (
        <span>an earlier command</span>
      )}
      <span className="exit-bad">exit {need.failure?.exitCode}</span>
      {terminal.command && terminal.command.id !== need.failure?.commandId && <span>another runs since</span>}
    </p>
  );
}

function Answered({ entry }: { entry: Entry }) {
  if (entry.answeredAt === undefined) return null;
  return (
    <span className="answered">
      ✓ answered <Age since={entry.answeredAt} /> ago{entry.isCounted && ', still waits'}
    </span>
  );
}

/** Actions on a need; only for cards in view. */
function Body({ entry, isOver, onSent, terminal }: NeedCardProps & { terminal: FleetTerminal }) {
  const { need } = entry;
  const { key, terminalId, kind } = need;
  const name = plainLabel(terminal.name);
  const target = { key, terminalId, name };
  const sent = (isAnswered: boolean) => isAnswered && onSent(key);
  return (
    <>
      {!isOver && <Question need={need} terminal={terminal} />}
      <LiveScreen
        terminalId={terminalId}
        lastRows={12}
        {...(NARROW.matches && { maxCols: NARROW_COLS })}
        fps={4}
        priority={2}
      />
      {kind !== 'exited' && (
        <AnswerBox target={target} isAgent={kind === 'waiting'} isOver={isOver} onSent={sent} />
      )}
      <div className="need-foot">
        {kind !== 'exited' && (
          <fieldset className="keys-row" aria-label={`Keys for ${name}`} disabled={isOver}>
            {KEY_BUTTONS.filter(({ isForAgent }) => kind === 'waiting' || !isForAgent).map((button) => (
              <button
                key={button.label}
                type="button"
                title={`Sends the key ${button.does}`}
                aria-label={`${button.label}: send the key ${button.does}`}
                onClick={async () => (await sendKey(target, button)) && sent(button.isAnswer)}
              >
                <kbd>{button.label}</kbd>
              </button>
            ))}
          </fieldset>
        )}
        <fieldset className="need-acts" aria-label={`What to do with ${name}`} disabled={isOver}>
          <span>
            Snooze{' '}
            {SNOOZES_MIN.map((minutes) => (
              <button
                key={minutes}
                type="button"
                aria-label={`${minutes}m: snooze for ${minutes} minutes`}
                onClick={() => snooze(key, minutes)}
              >
                {minutes}m
              </button>
            ))}
          </span>
          <button type="button" title="Put to the end (s)" onClick={() => skip(key)}>
            Skip
          </button>
          <button type="button" title="Needs nobody (d)" onClick={() => markDone(key)}>
            Done
          </button>
        </fieldset>
      </div>
    </>
  );
}

/** A terminal that needs a person, with everything to deal with it. */
export const NeedCard = memo(function NeedCard(props: NeedCardProps) {
  const { entry, isOver } = props;
  const { need } = entry;
  const terminal = useFleet((state) => state.terminals.get(need.terminalId));
  const ref = useRef<HTMLLIElement>(null);
  const isInView = useInView(ref);
  const [height, setHeight] = useState(GUESSED_HEIGHT);
  const [hasFocus, setFocus] = useState(false);
  // A focused card is drawn at once: the key for an answer must find the box, or the next keys would act on the card.
  const isDrawn = (isInView || isOver || hasFocus) && terminal !== undefined;

  // A card that leaves the view keeps its height, so that nothing moves.
  useLayoutEffect(() => {
    if (isDrawn && ref.current) setHeight(ref.current.offsetHeight);
  }, [isDrawn]);

  const name = plainLabel(terminal?.name ?? need.terminalId);
  return (
    <li
      ref={ref}
      className={`need need-${need.kind}${entry.isCounted ? '' : ' need-answered'}`}
      data-need={need.key}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys act upon the card that has the focus
      tabIndex={0}
      aria-label={`${name}, ${need.kind}`}
      onFocus={() => setFocus(true)}
      onBlur={() => setFocus(false)}
      style={isDrawn ? undefined : { minHeight: height }}
    >
      <header>
        <StatusMark status={need.kind} />
        <strong className="need-name">{name}</strong>
        {terminal?.agent && <span className="need-agent">{plainLabel(terminal.agent)}</span>}
        <span className="need-age">
          {need.isGuess && <span title="Since when is not known: it began before this page">at most </span>}
          <Age since={need.since} />
        </span>
        <Answered entry={entry} />
        {isOver && <span className="answered">no longer needs you</span>}
        <Link href={`/t/${need.terminalId}`} className="need-open">
          Open
        </Link>
      </header>
      {isDrawn && <Body {...props} terminal={terminal} />}
    </li>
  );
});
