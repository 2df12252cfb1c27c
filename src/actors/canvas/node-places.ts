import { NodePlace } from '../../contract/canvas.js';
import type { Collection, Store } from '../../store/store.js';

/** Grid for nodes that nobody has placed: 4 cells to a row, with a gap between cells. */
const COLUMNS = 4;
const SIZE = { width: 480, height: 320 };
const GAP = 40;

/** Places of the terminals on the canvas, kept in the store for as long as each terminal is listed. */
export class NodePlaces {
  readonly #stored: Collection<NodePlace>;
  /** Corners of the nodes, so that the search for a free cell does not look at every node for each cell. */
  readonly #taken = new Set<string>();
  /** Lower bound of the free cells: all cells before it are taken. */
  #firstFree = 0;

  constructor(store: Store) {
    this.#stored = store.collection('node-places', { version: 1, schema: NodePlace });
    for (const place of this.#stored.all().values()) this.#taken.add(corner(place));
  }

  ids(): string[] {
    return [...this.#stored.all().keys()];
  }

  get(terminalId: string): NodePlace | undefined {
    return this.#stored.get(terminalId);
  }

  /** Gives a terminal the first free cell, unless it has a place already. Resolves once stored. */
  async take(terminalId: string): Promise<void> {
    if (this.#stored.get(terminalId)) return;
    while (this.#taken.has(corner(placeOf(this.#firstFree)))) this.#firstFree += 1;
    const place = placeOf(this.#firstFree);
    this.#taken.add(corner(place));
    await this.#stored.put(terminalId, place);
  }

  /** Frees the terminal's place. Resolves once stored. */
  async free(terminalId: string): Promise<void> {
    const place = this.#stored.get(terminalId);
    if (!place) return;
    this.#taken.delete(corner(place));
    this.#firstFree = Math.min(this.#firstFree, cellAt(place));
    await this.#stored.remove(terminalId);
  }
}

function corner({ x, y }: Pick<NodePlace, 'x' | 'y'>): string {
  return `${x},${y}`;
}

/** Returns the cell of a place. For a place outside the grid's cells any earlier cell will do: returns 0. */
function cellAt({ x, y }: Pick<NodePlace, 'x' | 'y'>): number {
  const cell = COLUMNS * Math.floor(y / (SIZE.height + GAP)) + Math.floor(x / (SIZE.width + GAP));
  return corner(placeOf(Math.max(0, cell))) === corner({ x, y }) ? cell : 0;
}

function placeOf(cell: number): NodePlace {
  const column = cell % COLUMNS;
  const row = Math.floor(cell / COLUMNS);
  return { x: column * (SIZE.width + GAP), y: row * (SIZE.height + GAP), ...SIZE, groupId: null };
}
