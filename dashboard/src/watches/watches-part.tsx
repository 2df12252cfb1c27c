import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { WatchInfo, WebhookInfo } from '../../../src/client/browser.js';
import { useServiceEvents } from '../fleet/event-bus.js';
import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';
import { Fault } from '../guardrails/fault.js';
import { GuardrailsScroll } from '../guardrails/guardrails-scroll.js';
import { Age } from '../parts/age.js';
import { AskDialog } from '../parts/ask-dialog.js';
import { TerminalLink } from '../parts/terminal-link.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';
import '../style/settings.css';
import { useWebhooks } from './use-webhooks.js';
import { WatchForm } from './watch-form.js';
import { wordsOfReach, wordsOfWatch } from './watch-words.js';

const REFRESH_MS = 5_000;

/** Standing searches in the output of terminals, and their matches. */
export function WatchesPart() {
  const [isMaking, setMaking] = useState(false);
  const [doomed, setDoomed] = useState<WatchInfo>();
  const { webhooks = [] } = useWebhooks();
  const {
    data: watches,
    error,
    refetch,
  } = useQuery({
    queryKey: ['watches'],
    queryFn: ({ signal }) => service.watches.list({ signal }),
    refetchInterval: REFRESH_MS,
  });
  const again = () => void refetch();
  useServiceEvents('watch.', again);
  const remove = async ({ id }: WatchInfo) => {
    await attempt('The watch was not deleted', service.watches.delete(id));
    again();
  };
  return (
    <>
      <div className="guardrails-bar">
        <button type="button" onClick={() => setMaking(true)}>
          New watch…
        </button>
        <p className="hint">A watch looks for a text in all that terminals print, and tells of it.</p>
        {watches && <span className="count">{watches.length.toLocaleString()}</span>}
      </div>
      {error && <Fault what="The watches" error={error} />}
      {watches?.length === 0 && <p className="empty">Nothing is watched for.</p>}
      {watches && watches.length > 0 && (
        <WatchTable watches={watches} webhooks={webhooks} onDelete={setDoomed} />
      )}
      {isMaking && <WatchForm webhooks={webhooks} onClose={() => setMaking(false)} onMade={again} />}
      {doomed && (
        <AskDialog
          title="Delete the watch?"
          choices={[['Delete', () => void remove(doomed)]]}
          onClose={() => setDoomed(undefined)}
        >
          <p>{plainLabel(doomed.name ?? doomed.text ?? doomed.regex ?? doomed.id)}</p>
        </AskDialog>
      )}
    </>
  );
}

interface WatchTableProps {
  watches: readonly WatchInfo[];
  webhooks: readonly WebhookInfo[];
  onDelete: (watch: WatchInfo) => void;
}

function WatchTable({ watches, webhooks, onDelete }: WatchTableProps) {
  return (
    <GuardrailsScroll label="Watches">
      <table>
        <thead>
          <tr>
            <th scope="col">looks for</th>
            <th scope="col">in</th>
            <th scope="col">last match</th>
            <th scope="col" className="less">
              does
            </th>
            <th scope="col">state</th>
            <th scope="col">
              <span className="unseen">actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {watches.map((watch) => (
            <WatchRow key={watch.id} watch={watch} webhooks={webhooks} onDelete={onDelete} />
          ))}
        </tbody>
      </table>
    </GuardrailsScroll>
  );
}

function WatchRow({ watch, webhooks, onDelete }: Omit<WatchTableProps, 'watches'> & { watch: WatchInfo }) {
  const { name, text, regex, once, matches, lastMatch } = watch;
  const terminals = useFleet((state) => state.terminals);
  const nameOf = (id: string) => terminals.get(id)?.name ?? id;
  return (
    <tr>
      <td className="long">
        <div>
          <code>{plainLabel(regex === null ? (text ?? '') : `/${regex}/`)}</code>
        </div>
        {name !== null && <div className="hint">{plainLabel(name)}</div>}
      </td>
      <td>{wordsOfReach(watch, nameOf)}</td>
      <td className="long">
        {lastMatch ? (
          <>
            <div>
              <code>{plainLabel(lastMatch.text)}</code>
            </div>
            <div className="hint">
              <TerminalLink id={lastMatch.terminalId} />, <Age since={lastMatch.at} /> ago;{' '}
              {matches.toLocaleString()} in all
            </div>
          </>
        ) : (
          'none yet'
        )}
      </td>
      <td className="less">
        <Actions watch={watch} webhooks={webhooks} nameOf={nameOf} />
        {once && <div>only once</div>}
      </td>
      <td>
        {wordsOfWatch(watch).map((words) => (
          <div key={words}>{words}</div>
        ))}
      </td>
      <td className="acts">
        <button type="button" onClick={() => onDelete(watch)}>
          Delete<span className="unseen"> {plainLabel(name ?? text ?? regex ?? watch.id)}</span>
        </button>
      </td>
    </tr>
  );
}

interface ActionsProps {
  watch: WatchInfo;
  webhooks: readonly WebhookInfo[];
  nameOf: (id: string) => string;
}

function Actions({ watch: { actions }, webhooks, nameOf }: ActionsProps) {
  const words = actions.flatMap((action) => {
    if (action.type === 'webhook') {
      const webhook = webhooks.find(({ id }) => id === action.webhookId);
      return `posts to ${plainLabel(webhook?.name ?? webhook?.url ?? action.webhookId)}`;
    }
    if (action.type === 'input')
      return `types ${JSON.stringify(plainLabel(action.text))} into ${plainLabel(nameOf(action.terminalId))}`;
    return [];
  });
  return (words.length === 0 ? ['an event'] : words).map((each) => <div key={each}>{each}</div>);
}
