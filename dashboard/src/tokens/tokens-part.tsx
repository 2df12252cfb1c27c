import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreatedToken, TokenInfo } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';
import { Fault } from '../guardrails/fault.js';
import { GuardrailsScroll } from '../guardrails/guardrails-scroll.js';
import { SecretDialog } from '../guardrails/secret-dialog.js';
import { Age } from '../parts/age.js';
import { AskDialog } from '../parts/ask-dialog.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';
import { useSettings } from '../settings/use-settings.js';
import '../style/settings.css';
import { TokenForm } from './token-form.js';
import { wordsOfReach } from './token-words.js';

const REFRESH_MS = 5_000;

/** A note on whether tokens are in force. */
function Mode() {
  const { settings } = useSettings();
  if (!settings) return null;
  if (settings.access.mode === 'guarded') {
    return <p>Guarded: each client must show a token, which says what it may do.</p>;
  }
  return (
    <p className="guardrails-note">
      Open: every client that is served may do everything. Tokens bind nothing until the setting{' '}
      <code>access.mode</code> is <code>guarded</code>:{' '}
      <code>auto-terminal config set access.mode guarded</code>
    </p>
  );
}

/** The tokens, which decide what programs may do. */
export function TokensPart() {
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<CreatedToken>();
  const [doomed, setDoomed] = useState<TokenInfo>();
  const {
    data: tokens,
    error,
    refetch,
  } = useQuery({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => service.tokens.list({ signal }),
    refetchInterval: REFRESH_MS,
  });
  const revoke = async ({ id }: TokenInfo) => {
    await attempt('The token was not revoked', service.tokens.delete(id));
    await refetch();
  };
  return (
    <>
      <div className="guardrails-bar">
        <button type="button" onClick={() => setMaking(true)}>
          New token…
        </button>
        <Mode />
        {tokens && <span className="count">{tokens.length.toLocaleString()}</span>}
      </div>
      {error && <Fault what="The tokens" error={error} />}
      {tokens?.length === 0 && <p className="empty">There is no token.</p>}
      {tokens && tokens.length > 0 && <TokenTable tokens={tokens} onRevoke={setDoomed} />}
      {isMaking && (
        <TokenForm
          onClose={() => setMaking(false)}
          onMade={(token) => {
            setMade(token);
            void refetch();
          }}
        />
      )}
      {made && (
        <SecretDialog
          title={`Token ${plainLabel(made.name)}`}
          secret={made.token}
          onClose={() => setMade(undefined)}
        >
          Clients send it as <code>Authorization: Bearer</code>, programs in terminals find it in{' '}
          <code>AUTO_TERMINAL_TOKEN</code>.
        </SecretDialog>
      )}
      {doomed && (
        <AskDialog
          title={`Revoke the token ${plainLabel(doomed.name)}?`}
          choices={[['Revoke', () => void revoke(doomed)]]}
          onClose={() => setDoomed(undefined)}
        >
          <p>
            Whoever has it is refused from now on, and what is open with it is broken off; tokens that were
            made with it end, too. Terminals that it has created go on.
          </p>
        </AskDialog>
      )}
    </>
  );
}

interface TokenTableProps {
  tokens: readonly TokenInfo[];
  onRevoke: (token: TokenInfo) => void;
}

function TokenTable({ tokens, onRevoke }: TokenTableProps) {
  return (
    <GuardrailsScroll label="Tokens">
      <table>
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">allows</th>
            <th scope="col">terminals</th>
            <th scope="col" className="less">
              used
            </th>
            <th scope="col">ends</th>
            <th scope="col">
              <span className="unseen">actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td className="long">
                <div>{plainLabel(token.name)}</div>
                <div className="hint">
                  {token.id}
                  {token.madeWith !== null && `, made with ${token.madeWith}`}
                </div>
              </td>
              <td>{token.verbs.join(', ')}</td>
              <td>
                {wordsOfReach(token)}
                {token.maxTerminals !== null && `, at most ${token.maxTerminals.toLocaleString()}`}
              </td>
              <td className="less">
                {token.lastUsedAt === null ? 'not since the start' : <Ago at={token.lastUsedAt} />}
              </td>
              <td>
                {token.expiresAt === null ? 'with its terminal' : new Date(token.expiresAt).toLocaleString()}
              </td>
              <td className="acts">
                <button type="button" onClick={() => onRevoke(token)}>
                  Revoke<span className="unseen"> {plainLabel(token.name)}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </GuardrailsScroll>
  );
}

function Ago({ at }: { at: number }) {
  return (
    <>
      <Age since={at} /> ago
    </>
  );
}
