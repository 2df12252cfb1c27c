import { useId } from 'react';
import type { PromptInfo } from '../../../src/client/browser.js';
import { wordsOfPrincipal } from '../fleet/principal.js';
import { useNow } from '../fleet/use-now.js';
import { Age } from '../parts/age.js';
import { beginningOf, spanLeft, wordsOfEnd, wordsOfWait } from './prompt-words.js';

interface WaitingPromptsProps {
  prompts: readonly PromptInfo[];
  onCancel: (promptId: string) => void;
}

/** Prompts that wait, in the order in which they are typed. */
export function WaitingPrompts({ prompts, onCancel }: WaitingPromptsProps) {
  const id = useId();
  return (
    <>
      <h3 id={id}>Waiting</h3>
      <ol aria-labelledby={id}>
        {prompts.map((prompt) => (
          <li key={prompt.id}>
            <div className="prompt-about">
              <code>{beginningOf(prompt)}</code>
              <p className="hint">
                {wordsOfWait(prompt)}
                {prompt.waitsFor === 'time' && <Left words="due in" until={prompt.at} />}
                {prompt.state === 'queued' && <Left words="expires in" until={prompt.expiresAt} />} · by{' '}
                {wordsOfPrincipal(prompt.by)}
              </p>
            </div>
            {prompt.state === 'queued' && (
              <button type="button" onClick={() => onCancel(prompt.id)}>
                Cancel<span className="unseen"> {beginningOf(prompt)}</span>
              </button>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Prompts that have ended, and how. */
export function EndedPrompts({ prompts }: { prompts: readonly PromptInfo[] }) {
  const id = useId();
  return (
    <>
      <h3 id={id}>Ended</h3>
      <ul aria-labelledby={id}>
        {prompts.map((prompt) => (
          <li key={prompt.id}>
            <div className="prompt-about">
              <code>{beginningOf(prompt)}</code>
              <p className={`hint prompt-${prompt.state}`}>{wordsOfEnd(prompt)}</p>
            </div>
            <span className="hint">
              <Age since={prompt.endedAt ?? undefined} /> ago
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The time left until a moment; the full time on hover. */
function Left({ words, until }: { words: string; until: number | null }) {
  const left = useNow((now) => (until === null ? '' : spanLeft(until - now)));
  if (until === null) return null;
  const time = new Date(until);
  return (
    <>
      {' '}
      · {words}{' '}
      <time dateTime={time.toISOString()} title={time.toLocaleString()}>
        {left}
      </time>
    </>
  );
}
