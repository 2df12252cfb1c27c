import { useState } from 'react';
import { plainLabel } from '../fleet/words.js';
import { attempt, say } from '../parts/toasts.js';
import { meaningOf } from '../refusals.js';
import { service } from '../service.js';
import { type BatchTargets, namesOf } from './targets.js';

/** Keys whose bytes mean the same to all programs, whatever modes they have set. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['Enter', '\r'],
  ['Escape', '\x1b'],
  ['ctrl+c', '\x03'],
  ['ctrl+d', '\x04'],
  ['Tab', '\t'],
  ['Space', ' '],
  ...['y', 'n', 'q', '1', '2', '3'].map((key): [string, string] => [key, key]),
]);

/** Presses the key in each of the terminals, and reports where that failed. */
async function press(key: string, { select, terminals }: BatchTargets): Promise<void> {
  const { results } = await service.select(select).type(KEYS.get(key)!);
  const names = new Map(terminals.map(({ id, name }) => [id, plainLabel(name)]));
  const refused = results.filter(({ success }) => !success);
  const failed = refused.map(({ terminalId: id }) => names.get(id) ?? id);
  const sent = results.length - failed.length;
  const words = `${key} sent to ${sent.toLocaleString()} ${sent === 1 ? 'terminal' : 'terminals'}`;
  if (failed.length === 0) return say(words);
  const why = new Set(refused.map(({ code, error }) => meaningOf(code) ?? error ?? 'no reason given'));
  say(`${words}, not to ${namesOf(failed)}: ${[...why].join('; ')}`, true);
}

/** Presses one key in all of the chosen terminals, such as ctrl+c or the answer to a question that all of them ask. */
export function BatchKey({ targets }: { targets: BatchTargets | undefined }) {
  const [key, setKey] = useState('Enter');
  const [isBusy, setBusy] = useState(false);
  const count = targets?.terminals.length ?? 0;
  const send = async () => {
    if (!targets) return;
    setBusy(true);
    await attempt('The key was not sent', press(key, targets));
    setBusy(false);
  };
  return (
    <span className="batch-key">
      <label>
        or one key{' '}
        <select value={key} onChange={({ target }) => setKey(target.value)}>
          {[...KEYS.keys()].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>{' '}
      <button type="button" disabled={count === 0 || isBusy} onClick={() => void send()}>
        {count === 0 ? 'Press' : `Press in ${count.toLocaleString()}`}
      </button>
    </span>
  );
}
