import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { CanvasGroup, type GroupBody, type GroupPatch } from '../../contract/canvas.js';
import { DomainError } from '../../contract/errors.js';
import { MAX_CANVAS_GROUPS } from '../../contract/limits.js';
import type { Collection, Store } from '../../store/store.js';

/** Named areas on the canvas, kept in the store. */
export class Groups {
  readonly #stored: Collection<CanvasGroup>;

  constructor(store: Store) {
    this.#stored = store.collection('canvas-groups', { version: 1, schema: CanvasGroup });
  }

  all(): CanvasGroup[] {
    return [...this.#stored.all().values()];
  }

  has(id: string): boolean {
    return this.#stored.get(id) !== undefined;
  }

  /** Resolves once stored. Throws too-many-groups. */
  async add({ label, color, x, y, width, height }: GroupBody): Promise<CanvasGroup> {
    if (this.#stored.all().size >= MAX_CANVAS_GROUPS) throw new DomainError('too-many-groups');
    const group = { id: `gr-${randomBytes(6).toString('hex')}`, label, color, x, y, width, height };
    await this.#stored.put(group.id, group);
    return group;
  }

  /** Resolves once stored; `isChanged` is false if nothing has changed. Throws group-not-found. */
  async change(id: string, patch: GroupPatch): Promise<{ group: CanvasGroup; isChanged: boolean }> {
    const before = this.get(id);
    const group = { ...before, ...patch };
    const isChanged = !isDeepStrictEqual(before, group);
    if (isChanged) await this.#stored.put(id, group);
    return { group, isChanged };
  }

  /** Resolves once stored. */
  remove(id: string): Promise<void> {
    return this.#stored.remove(id);
  }

  /** Throws group-not-found. */
  get(id: string): CanvasGroup {
    const group = this.#stored.get(id);
    if (!group) throw new DomainError('group-not-found');
    return group;
  }
}
