import type { ReactNode } from 'react';

/** The part of a page of the guardrails that scrolls. */
export function GuardrailsScroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key
    <section className="guardrails-scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
