import { useEffect } from 'react';
import { titleOf } from './title-of.js';

let count = 0;
let subject: string | undefined;

/** Changes parts of the title; the others stay, as each has another owner. */
export function changeTitle(change: { count?: number; subject?: string | undefined }): void {
  count = change.count ?? count;
  if ('subject' in change) subject = change.subject;
  const title = titleOf(count, subject);
  if (document.title !== title) document.title = title;
}

/** Names the subject of the page in the title for as long as the component is shown. */
export function useSubject(name: string): void {
  useEffect(() => {
    changeTitle({ subject: name });
    return () => changeTitle({ subject: undefined });
  }, [name]);
}
