import { plainLabel } from '../fleet/words.js';

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** Returns the target of a link in a terminal; undefined if the page does not open such links. */
export function linkTarget(uri: string): URL | undefined {
  let url: URL;
  try {
    url = new URL(uri);
  } catch {
    return undefined;
  }
  return SCHEMES.has(url.protocol) ? url : undefined;
}

/** Most characters of a host that are shown: its end, which says whose it is. */
const MAX_HOST_CHARS = 60;

/**
 * Returns in words where a link leads, with the host as the browser asks for it: letters of other scripts may look like
 * others, a name before an @ like a host, and the end of a long address is not shown.
 */
export function wordsOfLink(uri: string): string {
  const target = linkTarget(uri);
  if (!target) return `not opened from here: ${plainLabel(uri)}`;
  const { href, host } = target;
  const shown = plainLabel(href);
  const isHostShown = host === '' || shown.startsWith(`${target.protocol}//${host}`);
  return `ctrl+click opens ${shown}${isHostShown ? '' : ` at ${host.slice(-MAX_HOST_CHARS)}`}`;
}

/** Whether the text of a link names a host other than that of its target. */
export function isMisleading(text: string, target: URL): boolean {
  const [, named] =
    /^\s*(?:https?:\/\/)?(?:[^\s/@]*@)?((?:[\p{L}\p{N}-]+\.)+[\p{L}]{2,})(?=[\s/:?#]|$)/iu.exec(text) ?? [];
  if (named === undefined) return false;
  const host = target.protocol === 'mailto:' ? target.pathname.split('@').at(-1)! : target.hostname;
  return bare(named) !== bare(host);
}

function bare(host: string): string {
  return host.toLowerCase().replace(/^www\./, '');
}
