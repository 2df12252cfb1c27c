import { readFileSync } from 'node:fs';

/** Throws if too few pseudo-terminals are left, and names the limit to raise: Linux has one limit for the machine. */
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
