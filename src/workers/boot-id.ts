import { readFileSync } from 'node:fs';

/** Returns an id that differs between boots of the system; empty where the system has none. */
export function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}
