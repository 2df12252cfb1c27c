import { useState } from 'react';
import type { PromptInfo } from '../../../src/client/browser.js';
import { useServiceEvents } from '../fleet/event-bus.js';
import { late } from '../parts/late.js';
import { say } from '../parts/toasts.js';
import { wordsOfEnd, wordsOfQueue } from './prompt-words.js';
import { usePrompts } from './use-prompts.js';

const PromptQueue = late(() => import('./prompt-queue.js'));

/** The number of prompts that wait for a terminal, if any; opens their list. */
export function QueuedPrompts({ terminalId }: { terminalId: string }) {
  const [isReading, setReading] = useState(false);
  const { prompts = [] } = usePrompts(terminalId);
  useServiceEvents('prompt.ended', ({ terminalId: id, data }) => {
    const end = data as unknown as Pick<PromptInfo, 'state' | 'reason'>;
    const isAsWanted = end.state === 'submitted' || end.reason === 'requested';
    if (id === terminalId && !isAsWanted) say(`A queued prompt has ended: ${wordsOfEnd(end)}`, true);
  });
  const words = wordsOfQueue(prompts);
  return (
    <>
      {words !== undefined && (
        <button type="button" aria-haspopup="dialog" onClick={() => setReading(true)}>
          {words}
        </button>
      )}
      {isReading && <PromptQueue terminalId={terminalId} starts="list" onClose={() => setReading(false)} />}
    </>
  );
}
