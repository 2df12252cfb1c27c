import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../parts/dialog.js';
import { say } from '../parts/toasts.js';
import { service, wordsOf, wordsOfFailure } from '../service.js';
import '../style/settings.css';
import '../style/prompts.css';
import { PromptForm } from './prompt-form.js';
import { EndedPrompts, WaitingPrompts } from './prompt-lists.js';
import { isWaiting, lastEnded } from './prompt-words.js';
import { refreshPrompts, usePrompts } from './use-prompts.js';

const SHOWN_ENDED = 10;

interface PromptQueueProps {
  terminalId: string;
  /** Part of the dialog that is shown first. */
  starts: 'list' | 'form';
  onClose: () => void;
}

/** The waiting and the ended prompts of a terminal, and a form to queue a prompt. */
export default function PromptQueue({ terminalId, starts, onClose }: PromptQueueProps) {
  const { prompts, error } = usePrompts(terminalId);
  const [told, tell] = useState<{ fault?: string; done?: string }>({});
  const listRef = useRef<HTMLElement>(null);
  const queue = service.terminals.get(terminalId).prompts;
  // A request to a full queue is repeated, which may take longer than the dialog is open.
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  // A toast would be behind the dialog.
  const attempt = async (work: Promise<unknown>, done: string, failed: string) => {
    tell({});
    try {
      await work;
      tell({ done });
      return true;
    } catch (reason) {
      const fault = wordsOfFailure(failed, reason);
      if (isShown.current) tell({ fault });
      else say(fault, true);
      return false;
    } finally {
      refreshPrompts(terminalId);
    }
  };
  const cancel = async (promptId: string) => {
    const isCancelled = await attempt(queue.cancel(promptId), 'Cancelled', 'Not cancelled');
    // The button with the focus goes away; a person who has gone on to the form types there.
    if (isCancelled && listRef.current?.contains(document.activeElement)) listRef.current.focus();
  };
  const waiting = prompts?.filter(isWaiting) ?? [];
  const ended = lastEnded(prompts ?? [], SHOWN_ENDED);
  return (
    <Dialog title="Prompt queue" onClose={onClose} className="prompt-queue">
      <section
        ref={listRef}
        className="prompt-lists"
        aria-label="Queued prompts"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key
        tabIndex={0}
        data-first={starts === 'list' ? true : undefined}
      >
        {error !== null && (
          <p className="prompt-fault" role="alert">
            The prompts could not be read: {wordsOf(error)}
          </p>
        )}
        {prompts && waiting.length === 0 && <p className="hint">No prompt waits for this terminal.</p>}
        {waiting.length > 0 && <WaitingPrompts prompts={waiting} onCancel={(id) => void cancel(id)} />}
        {ended.length > 0 && <EndedPrompts prompts={ended} />}
      </section>
      <PromptForm
        terminalId={terminalId}
        isFirst={starts === 'form'}
        onQueue={(text, options) => attempt(queue.add(text, options), 'Queued', 'Not queued')}
      />
      <p className="prompt-fault" role="alert">
        {told.fault}
      </p>
      <p className="prompt-done" role="status">
        {told.done}
      </p>
    </Dialog>
  );
}
