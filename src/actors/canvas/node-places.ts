import { isDeepStrictEqual } from 'node:util';
import { NodePlace, type NodePlaceBody } from '../../contract/canvas.js';
import type { Collection, Store } from '../../store/store.js';

/** Grid for nodes that no client has placed: 4 cells to a row, with a gap between cells. */
const COLUMNS = 4;
const SIZE = { width: 480, height: 320 };
const GAP = 40;
const STEP = { x: SIZE.width + GAP, y: SIZE.height + GAP };

/** Places of the terminals on the canvas. The store keeps each for as long as its terminal runs. */
export class NodePlaces {
  readonly #stored: Collection<NodePlace>;
  /** Number of nodes over each cell, so that the search for a free cell does not look at every node for each cell. */
  readonly #covered = new Map<number, number>();
  /** Lower bound of the free cells: all cells before it are covered. */
  #firstFree = 0;

  constructor(store: Store) {
    this.#stored = store.collection('node-places', { version: 1, schema: NodePlace });
    for (const place of this.#stored.all().values()) this.#cover(place);
  }

  ids(): string[] {
    return [...this.#stored.all().keys()];
  }

  get(terminalId: string): NodePlace | undefined {
    return this.#stored.get(terminalId);
  }

  /** Gives a terminal the first free cell. Resolves once stored; undefined if the terminal has a place already. */
  take(terminalId: string): Promise<void> | undefined {
    if (this.#stored.get(terminalId)) return undefined;
    while (this.#covered.has(this.#firstFree)) this.#firstFree += 1;
    return this.#set(terminalId, placeOf(this.#firstFree));
  }

  /** Changes the terminal's place. Resolves once stored; undefined if nothing changes, or there is no such place. */
  change(terminalId: string, change: NodePlaceBody): Promise<void> | undefined {
    const before = this.#stored.get(terminalId);
    const after = before && { ...before, ...change };
    return isDeepStrictEqual(before, after) || !after ? undefined : this.#set(terminalId, after);
  }

  /** Takes all nodes out of the groups that `isGroup` rejects. Returns a promise for each node that was in one. */
  leaveGroups(isGroup: (id: string) => boolean): Array<Promise<void>> {
    const left = [...this.#stored.all()].filter(([, { groupId }]) => groupId !== null && !isGroup(groupId));
    return left.map(([terminalId, place]) => this.#set(terminalId, { ...place, groupId: null }));
  }

  /** Frees the terminal's place. Resolves once stored; undefined if it has none. */
  free(terminalId: string): Promise<void> | undefined {
    const place = this.#stored.get(terminalId);
    if (!place) return undefined;
    this.#uncover(place);
    return this.#stored.remove(terminalId);
  }

  async #set(terminalId: string, place: NodePlace): Promise<void> {
    const before = this.#stored.get(terminalId);
    if (before) this.#uncover(before);
    this.#cover(place);
    try {
      await this.#stored.put(terminalId, place);
    } catch (error) {
      this.#recount();
      throw error;
    }
  }

  #cover(place: NodePlace): void {
    for (const cell of cellsUnder(place)) this.#covered.set(cell, (this.#covered.get(cell) ?? 0) + 1);
  }

  #uncover(place: NodePlace): void {
    for (const cell of cellsUnder(place)) {
      const count = (this.#covered.get(cell) ?? 0) - 1;
      if (count > 0) {
        this.#covered.set(cell, count);
      } else {
        this.#covered.delete(cell);
        this.#firstFree = Math.min(this.#firstFree, cell);
      }
    }
  }

  /** Counts anew after a write has failed: the places have returned to those on the disk. */
  #recount(): void {
    this.#covered.clear();
    this.#firstFree = 0;
    for (const place of this.#stored.all().values()) this.#cover(place);
  }
}

/** Returns the cells of the grid that a box lies over. */
function cellsUnder({ x, y, width, height }: Omit<NodePlace, 'groupId'>): number[] {
  const cells: number[] = [];
  const firstRow = Math.max(0, Math.floor((y - SIZE.height) / STEP.y) + 1);
  const firstColumn = Math.max(0, Math.floor((x - SIZE.width) / STEP.x) + 1);
  for (let row = firstRow; row * STEP.y < y + height; row++) {
    for (let column = firstColumn; column < COLUMNS && column * STEP.x < x + width; column++)
      cells.push(row * COLUMNS + column);
  }
  return cells;
}

function placeOf(cell: number): NodePlace {
  const column = cell % COLUMNS;
  const row = Math.floor(cell / COLUMNS);
  return { x: column * STEP.x, y: row * STEP.y, ...SIZE, groupId: null };
}
