import { resolve } from 'node:path';

/**
 * Returns the folder of this process' group in the tree of cgroup v2, or why it has none, in words.
 *
 * @param cgroup - content of /proc/self/cgroup
 * @param mountinfo - content of /proc/self/mountinfo
 */
export function ownGroup(cgroup: string, mountinfo: string): { path: string } | { missing: string } {
  const [, own] = /^0::(\/.*)$/m.exec(cgroup) ?? [];
  if (own === undefined) return { missing: 'this process is in no group of cgroup v2' };
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    if (!after.startsWith('cgroup2 ')) continue;
    const [, , , root = '/', mounted = ''] = before.split(' ').map(unescaped);
    const prefix = root === '/' ? '' : root;
    if (own !== prefix && !own.startsWith(`${prefix}/`)) continue;
    return { path: resolve(mounted, `.${own.slice(prefix.length)}`) };
  }
  return { missing: 'the tree of cgroup v2 is not mounted' };
}

/** The kernel writes blanks, tabs, line feeds and backslashes of paths as octal numbers. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
