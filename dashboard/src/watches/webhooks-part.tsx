import { useState } from 'react';
import type { CreatedWebhook, WebhookInfo } from '../../../src/client/browser.js';
import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';
import { Fault } from '../guardrails/fault.js';
import { GuardrailsScroll } from '../guardrails/guardrails-scroll.js';
import { SecretDialog } from '../guardrails/secret-dialog.js';
import { Age } from '../parts/age.js';
import { AskDialog } from '../parts/ask-dialog.js';
import { attempt, say } from '../parts/toasts.js';
import { service } from '../service.js';
import '../style/settings.css';
import { DeliveryLog } from './delivery-log.js';
import { useWebhooks } from './use-webhooks.js';
import { stateOfWebhook, wordsOfAttempt, wordsOfReach } from './watch-words.js';
import { WebhookForm } from './webhook-form.js';

/** Request of a person: the log of a webhook, or its deletion. */
type Asked = { kind: 'log' | 'delete'; webhook: WebhookInfo };

/** URLs to which the service posts events. */
export function WebhooksPart() {
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<CreatedWebhook>();
  const [asked, ask] = useState<Asked>();
  const { webhooks, error, again } = useWebhooks();
  const change = async (what: string, work: Promise<unknown>) => {
    await attempt(what, work);
    again();
  };
  const done = () => ask(undefined);
  return (
    <>
      <div className="guardrails-bar">
        <button type="button" onClick={() => setMaking(true)}>
          New webhook…
        </button>
        <p className="hint">A webhook posts events to a program that is no client of the service.</p>
        {webhooks && <span className="count">{webhooks.length.toLocaleString()}</span>}
      </div>
      {error !== null && error !== undefined && <Fault what="The webhooks" error={error} />}
      {webhooks?.length === 0 && <p className="empty">There is no webhook.</p>}
      {webhooks && webhooks.length > 0 && (
        <GuardrailsScroll label="Webhooks">
          <table>
            <thead>
              <tr>
                <th scope="col">receiver</th>
                <th scope="col" className="less">
                  events
                </th>
                <th scope="col">state</th>
                <th scope="col">last attempt</th>
                <th scope="col">
                  <span className="unseen">actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {webhooks.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} onAsk={ask} onChange={change} />
              ))}
            </tbody>
          </table>
        </GuardrailsScroll>
      )}
      {isMaking && (
        <WebhookForm
          onClose={() => setMaking(false)}
          onMade={(webhook) => {
            setMade(webhook);
            again();
          }}
        />
      )}
      {made && (
        <SecretDialog
          title="The secret of the webhook"
          secret={made.secret}
          onClose={() => setMade(undefined)}
        >
          The receiver checks with it that a message comes from this service.
        </SecretDialog>
      )}
      {asked?.kind === 'log' && <DeliveryLog webhook={asked.webhook} onClose={done} />}
      {asked?.kind === 'delete' && (
        <AskDialog
          title="Delete the webhook?"
          choices={[
            [
              'Delete',
              () => void change('The webhook was not deleted', service.webhooks.delete(asked.webhook.id)),
            ],
          ]}
          onClose={done}
        >
          <p>{plainLabel(asked.webhook.url)}. What waits to be tried again is dropped.</p>
        </AskDialog>
      )}
    </>
  );
}

interface WebhookRowProps {
  webhook: WebhookInfo;
  onAsk: (asked: Asked) => void;
  onChange: (what: string, work: Promise<unknown>) => Promise<void>;
}

function WebhookRow({ webhook, onAsk, onChange }: WebhookRowProps) {
  const { id, name, url, types, enabled, lastAttempt } = webhook;
  const terminals = useFleet((state) => state.terminals);
  const state = stateOfWebhook(webhook);
  const unseen = <span className="unseen"> {plainLabel(name ?? url)}</span>;
  const test = () =>
    onChange(
      'The test was not posted',
      service.webhooks.test(id).then((tried) => say(wordsOfAttempt(tried), tried.outcome !== 'delivered')),
    );
  const turn = () =>
    onChange('The webhook was not changed', service.webhooks.change(id, { enabled: !enabled }));
  return (
    <tr>
      <td className="long">
        <div>{plainLabel(name ?? url)}</div>
        {name !== null && <div className="hint">{plainLabel(url)}</div>}
      </td>
      <td className="less">
        <div>{plainLabel(types.join(' '))}</div>
        <div className="hint">of {wordsOfReach(webhook, (each) => terminals.get(each)?.name ?? each)}</div>
      </td>
      <td className={state.isBad ? 'exit-bad' : undefined}>{state.words}</td>
      <td>
        {lastAttempt ? (
          <>
            <div className={lastAttempt.outcome === 'delivered' ? undefined : 'exit-bad'}>
              {wordsOfAttempt(lastAttempt)}
            </div>
            <div className="hint">
              {plainLabel(lastAttempt.type)}, <Age since={lastAttempt.at} /> ago
            </div>
          </>
        ) : (
          'none yet'
        )}
      </td>
      <td className="acts">
        <span className="buttons">
          <button type="button" onClick={() => void test()}>
            Test{unseen}
          </button>
          <button type="button" onClick={() => onAsk({ kind: 'log', webhook })}>
            Deliveries{unseen}
          </button>
          <button type="button" onClick={() => void turn()}>
            {enabled ? 'Turn off' : 'Turn on'}
            {unseen}
          </button>
          <button type="button" onClick={() => onAsk({ kind: 'delete', webhook })}>
            Delete{unseen}
          </button>
        </span>
      </td>
    </tr>
  );
}
