import { useEffect, useState } from 'react';
import type { JoinRequest, UseRequest } from '../../../src/client/browser.js';
import { useNow } from '../fleet/use-now.js';
import { plainLabel } from '../fleet/words.js';
import { Age } from '../parts/age.js';
import { TerminalLink } from '../parts/terminal-link.js';
import { say } from '../parts/toasts.js';
import { AnswerDialog } from './answer-dialog.js';
import { useWaiting } from './use-fleet.js';
import { shownText, titleOfJoin, titleOfUse } from './waiting-words.js';

/** The requests that wait for a person, each with a button that opens the question; empty while none waits. */
export function WaitingList() {
  const { requests, uses } = useWaiting();
  const [asked, ask] = useState<string>();
  const join = requests.find(({ id }) => id === asked);
  const use = uses.find(({ id }) => id === asked);
  const close = () => ask(undefined);
  const hasGone = asked !== undefined && !join && !use;
  useEffect(() => {
    if (!hasGone) return;
    ask(undefined);
    say('It waits no longer: its time is over, it has given up, or somebody else has answered');
  }, [hasGone]);
  if (requests.length + uses.length === 0) return null;
  return (
    <section className="waiting" aria-label="Waiting for you">
      <h2>Waiting for you</h2>
      <ul>
        {requests.map((request) => (
          <li key={request.id}>
            <span>
              {titleOfJoin(request)} <Age since={request.askedAt} />
            </span>
            <Answer title={titleOfJoin(request)} onClick={() => ask(request.id)} />
            <JoinFacts request={request} />
          </li>
        ))}
        {uses.map((each) => (
          <li key={each.id}>
            <span>
              {titleOfUse(each)}, <SecondsLeft until={each.expiresAt} />
            </span>
            <Answer title={titleOfUse(each)} onClick={() => ask(each.id)} />
            <UseFacts use={each} />
          </li>
        ))}
      </ul>
      {join && (
        <AnswerDialog id={join.id} title={`${titleOfJoin(join)}?`} yes="Let it join" onClose={close}>
          <p>Compare these words with those that the other machine shows. Deny it if they differ.</p>
          <JoinFacts request={join} />
          <p>By itself a machine in the fleet may do nothing here.</p>
        </AnswerDialog>
      )}
      {use && (
        <AnswerDialog id={use.id} title={`${titleOfUse(use)}?`} yes="Approve" onClose={close}>
          <UseFacts use={use} />
          <p>
            <SecondsLeft until={use.expiresAt} />, then it counts as denied.
          </p>
        </AnswerDialog>
      )}
    </section>
  );
}

function Answer({ title, onClick }: { title: string; onClick: () => void }) {
  return (
    <button type="button" onClick={onClick}>
      Answer…<span className="unseen"> {title}</span>
    </button>
  );
}

function JoinFacts({ request: { machineId, os, words } }: { request: JoinRequest }) {
  return (
    <div className="waiting-facts">
      <p className="waiting-words">{words}</p>
      <p className="hint">
        <code>{plainLabel(machineId)}</code> {os}
      </p>
    </div>
  );
}

function UseFacts({ use: { machineId, action, terminalIds, text } }: { use: UseRequest }) {
  return (
    <div className="waiting-facts">
      {text !== null && <pre>{shownText(text)}</pre>}
      <p>
        {terminalIds.length === 0 ? 'Not in one terminal alone' : 'In '}
        {terminalIds.map((id, at) => (
          <span key={id}>
            {at > 0 && ', '}
            <TerminalLink id={id} />
          </span>
        ))}
      </p>
      <p className="hint">
        <code>{plainLabel(action)}</code> from <code>{plainLabel(machineId)}</code>
      </p>
    </div>
  );
}

function SecondsLeft({ until }: { until: number }) {
  const seconds = useNow((now) => Math.max(0, Math.ceil((until - now) / 1_000)));
  return (
    <span className="waiting-left">
      {seconds.toLocaleString()} {seconds === 1 ? 'second' : 'seconds'} left
    </span>
  );
}
