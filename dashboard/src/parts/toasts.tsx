import { create } from 'zustand';
import { wordsOfFailure } from '../service.js';
import { noteRefusal } from './queries.js';

interface Toast {
  id: number;
  text: string;
  isError: boolean;
}

const SHOWN_MS = 6_000;
let last = 0;
const useToasts = create<{ toasts: readonly Toast[] }>(() => ({ toasts: [] }));

function drop(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((each) => each.id !== id) }));
}

/** Shows a message for a few seconds. */
export function say(text: string, isError = false): void {
  const id = ++last;
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts.slice(-3), { id, text, isError }] }));
  setTimeout(() => drop(id), SHOWN_MS);
}

/** Waits for an action of a person, and reports a failure. Resolves with whether it succeeded. */
export async function attempt(what: string, work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    noteRefusal(error);
    say(wordsOfFailure(what, error), true);
    return false;
  }
}

export function Toasts() {
  const toasts = useToasts((state) => state.toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, isError }) => (
        <div key={id} className={isError ? 'toast toast-error' : 'toast'}>
          <span>{text}</span>
          <button type="button" onClick={() => drop(id)} aria-label="Dismiss">
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
