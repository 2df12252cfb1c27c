import { useQuery } from '@tanstack/react-query';
import type { WebhookInfo } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';
import { Fault } from '../guardrails/fault.js';
import { GuardrailsScroll } from '../guardrails/guardrails-scroll.js';
import { Dialog } from '../parts/dialog.js';
import { service } from '../service.js';
import { wordsOfAttempt } from './watch-words.js';

const REFRESH_MS = 2_000;

/** The latest attempts at deliveries, newest first. */
export function DeliveryLog({ webhook, onClose }: { webhook: WebhookInfo; onClose: () => void }) {
  const { data: attempts, error } = useQuery({
    queryKey: ['deliveries', webhook.id],
    queryFn: ({ signal }) => service.webhooks.deliveries(webhook.id, { signal }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Dialog
      title={`Deliveries to ${plainLabel(webhook.name ?? webhook.url)}`}
      onClose={onClose}
      className="delivery-log"
    >
      {error && <Fault what="The deliveries" error={error} />}
      {attempts?.length === 0 && <p className="dialog-body">Nothing was posted yet.</p>}
      {attempts && attempts.length > 0 && (
        <GuardrailsScroll label="Deliveries">
          <table>
            <thead>
              <tr>
                <th scope="col">time</th>
                <th scope="col">event</th>
                <th scope="col" className="less">
                  attempt
                </th>
                <th scope="col">outcome</th>
              </tr>
            </thead>
            <tbody>
              {attempts.map((each) => (
                <tr key={`${each.messageId} ${each.attempt} ${each.at}`}>
                  <td>{new Date(each.at).toLocaleString()}</td>
                  <td>{plainLabel(each.type)}</td>
                  <td className="less">
                    {each.attempt}, {each.ms} ms
                  </td>
                  <td className={each.outcome === 'delivered' ? undefined : 'exit-bad'}>
                    {wordsOfAttempt(each)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </GuardrailsScroll>
      )}
    </Dialog>
  );
}
