import { useQuery } from '@tanstack/react-query';
import type { LimitsAnswer } from '../../../src/client/browser.js';
import { useServiceEvents } from '../fleet/event-bus.js';
import { useNow } from '../fleet/use-now.js';
import { plainLabel, shortSpan } from '../fleet/words.js';
import { Fault } from '../guardrails/fault.js';
import { GuardrailsScroll } from '../guardrails/guardrails-scroll.js';
import { Age } from '../parts/age.js';
import { TerminalLink } from '../parts/terminal-link.js';
import { service } from '../service.js';
import { limitRows, wordsOfObstacle } from './limit-words.js';

const REFRESH_MS = 2_000;

type Waiting = LimitsAnswer['queue']['waiting'][number];

/** The limits of new terminals, their use, and the creations that wait. */
export function LimitsPart() {
  const {
    data: limits,
    error,
    refetch,
  } = useQuery({
    queryKey: ['limits'],
    queryFn: ({ signal }) => service.terminals.limits({ signal }),
    refetchInterval: REFRESH_MS,
  });
  useServiceEvents('admission.', () => void refetch());
  if (error) return <Fault what="The limits" error={error} />;
  if (!limits) return <p className="empty">…</p>;
  const { waiting, length } = limits.queue;
  return (
    <GuardrailsScroll label="Limits of new terminals">
      <LimitTable limits={limits} />
      <h2>
        In line <span className="count">{length.toLocaleString()}</span>
      </h2>
      {waiting.length === 0 ? (
        <p className="guardrails-text">No creation waits.</p>
      ) : (
        <QueueTable waiting={waiting} />
      )}
    </GuardrailsScroll>
  );
}

function LimitTable({ limits }: { limits: LimitsAnswer }) {
  const { unknown, refused } = limits;
  const rows = limitRows(limits);
  const isAny = rows.some(({ limit }) => limit !== undefined);
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">new terminals</th>
            <th scope="col">now</th>
            <th scope="col">limit</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, now, limit, isReached }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{now}</td>
              <td className={isReached ? 'exit-bad' : undefined}>
                {limit ?? <span className="hint">none</span>}
                {isReached && ', reached: nothing is created beyond it'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="guardrails-text">
        {isAny ? '' : 'Nothing is limited. '}
        {unknown.length > 0 && `Set, but not known on this system: ${plainLabel(unknown.join(', '))}. `}
        {refused > 0 && `Refused since the service has started: ${refused.toLocaleString()}. `}
        The settings of <code>limits</code> say what holds, such as{' '}
        <code>auto-terminal config set limits.maxTerminals 50</code>.
      </p>
    </>
  );
}

function QueueTable({ waiting }: { waiting: readonly Waiting[] }) {
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">place</th>
            <th scope="col">terminal</th>
            <th scope="col">waits for</th>
            <th scope="col">since</th>
            <th scope="col">refused in</th>
            <th scope="col" className="less">
              asked for by
            </th>
          </tr>
        </thead>
        <tbody>
          {waiting.map((each) => (
            <QueueRow key={each.terminalId} waiting={each} />
          ))}
        </tbody>
      </table>
      <p className="guardrails-text">
        A creation leaves the line when its client disconnects; nobody else can take it out.
      </p>
    </>
  );
}

function QueueRow({ waiting }: { waiting: Waiting }) {
  const { position, name, terminalId, labels, priority, since, until, mode, caller, obstacle } = waiting;
  const left = useNow((now) => shortSpan(Math.max(0, until - now)));
  const labelled = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return (
    <tr>
      <td>
        {position}
        {priority !== 0 && `, priority ${priority}`}
      </td>
      <td>
        <div>{plainLabel(name ?? terminalId)}</div>
        {labelled.length > 0 && <div className="hint">{plainLabel(labelled.join(' '))}</div>}
      </td>
      <td>{wordsOfObstacle(obstacle)}</td>
      <td>
        <Age since={since} /> ago
      </td>
      <td>{left}</td>
      <td className="less">
        {mode}
        {caller && caller.terminalId !== null && (
          <>
            {' '}
            in <TerminalLink id={caller.terminalId} />
          </>
        )}
      </td>
    </tr>
  );
}
