import { type FormEvent, useState } from 'react';
import { DeniedError } from '../../../src/client/browser.js';
import { service, wordsOf } from '../service.js';
import '../style/settings.css';

/** Prefix of tokens for programs. */
const TOKEN_OF_PROGRAMS = 'at_';
const FOR_PROGRAMS =
  "This is a token for programs. What is done here counts as done by a person, so the dashboard takes the service's own token alone.";

/** Asks for the access token. */
export function LoginForm({ onLoggedIn }: { onLoggedIn: () => void }) {
  const [token, setToken] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setAsking(true);
    try {
      await service.session.begin(token.trim());
      onLoggedIn();
    } catch (error) {
      const isForPrograms = error instanceof DeniedError && token.trim().startsWith(TOKEN_OF_PROGRAMS);
      setRefusal(isForPrograms ? FOR_PROGRAMS : wordsOf(error));
    } finally {
      setAsking(false);
    }
  };
  return (
    <main className="empty">
      <h1>auto-terminal</h1>
      <form className="login" onSubmit={submit}>
        <label htmlFor="token">Access token</label>
        <input
          id="token"
          type="password"
          required
          autoComplete="off"
          spellCheck={false}
          aria-describedby="token-help"
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
        <button type="submit" disabled={isAsking}>
          Log in
        </button>
        {refusal && (
          <p role="alert" className="exit-bad">
            {refusal}
          </p>
        )}
        <p id="token-help" className="hint">
          On the machine of the service, Settings shows it, and so does{' '}
          <code>auto-terminal config get network.authToken --reveal</code>. Traffic to this page is not
          encrypted.
        </p>
      </form>
    </main>
  );
}
