import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  className?: string;
}

/**
 * A modal dialog of the browser's own: it keeps the focus, and Escape closes it. The element with `data-first` gets the
 * focus first.
 */
export function Dialog({ title, onClose, children, className }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  // The dialog is closed before it is removed from the page: only then does the browser restore the focus.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // Otherwise the browser gives the focus to the first button, which closes it.
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={ref} className={className} aria-label={title} onClose={onClose} data-keys="dialog">
      <header>
        <h2>{title}</h2>
        <button type="button" onClick={onClose} aria-label="Close">
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
