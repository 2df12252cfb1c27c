import { readFileSync } from 'node:fs';

/** Fails with what to raise when the machine cannot give so many pseudo-terminals: Linux has one bound on all of them. */
export function requirePtys(count: number): void {
  const [max, used] = [limit('max'), limit('nr')];
  if (count > max - used) {
    const least = used + count;
    throw new Error(`${count} terminals need a kernel.pty.max (sysctl) of ${least} or more; it is ${max}`);
  }
}

function limit(name: string): number {
  return Number(readFileSync(`/proc/sys/kernel/pty/${name}`, 'utf8'));
}
