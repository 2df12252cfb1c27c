/** Opens a link of a terminal in a window without an opener or referrer. */
export function openLink({ href }: URL): void {
  window.open(href, '_blank', 'noopener,noreferrer');
}
