/** Opens a link of a terminal in a window that knows nothing of this page. */
export function openLink({ href }: URL): void {
  window.open(href, '_blank', 'noopener,noreferrer');
}
