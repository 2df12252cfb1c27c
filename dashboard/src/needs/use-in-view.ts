import { type RefObject, useEffect, useState } from 'react';

/** Cards are made ready a little before they come into view. */
const MARGIN = '200px 0px';
const callbacks = new WeakMap<Element, (isInView: boolean) => void>();
let observer: IntersectionObserver | undefined;

/** Returns whether the element is in view, or nearly so. */
export function useInView(ref: RefObject<Element | null>): boolean {
  const [isInView, setInView] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    observer ??= new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) callbacks.get(target)?.(isIntersecting);
      },
      // Browsers know one or both of these options.
      { rootMargin: MARGIN, scrollMargin: MARGIN } as IntersectionObserverInit,
    );
    const own = observer;
    callbacks.set(element, setInView);
    own.observe(element);
    return () => {
      own.unobserve(element);
      callbacks.delete(element);
    };
  }, [ref]);
  return isInView;
}
