import { DomainError } from '../contract/errors.js';
import type { Terminal } from '../contract/terminal.js';

type Listed = Pick<Terminal, 'id' | 'createdAt'>;

/** Orders terminals by age, oldest first; the id decides between terminals of the same millisecond. */
export function byAge(a: Listed, b: Listed): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/** Returns the cursor of a page that ends with this terminal. It works when the terminal is gone, too. */
export function pageCursor({ createdAt, id }: Listed): string {
  return `${createdAt}.${id}`;
}

/** Returns whether a terminal comes after the page that ended with this cursor. Throws invalid-cursor. */
export function comesAfter(cursor: string): (terminal: Listed) => boolean {
  const [, createdAt, id] = /^(\d{1,15})\.(.*)$/s.exec(cursor) ?? [];
  if (createdAt === undefined || id === undefined) throw new DomainError('invalid-cursor');
  const last = { createdAt: Number(createdAt), id };
  return (terminal) => byAge(terminal, last) > 0;
}
