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
