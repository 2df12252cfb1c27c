import type { TerminalView } from '../../client/index.js';
import { matches, SORTS, type Sort, sorted } from './order.js';

/** Mode of the table, which decides the meaning of keys. */
export type Mode =
  | { kind: 'table' }
  | { kind: 'filter' }
  | { kind: 'help' }
  /** Asks whether this terminal is to be closed. */
  | { kind: 'closing'; view: TerminalView };

/** Action of a key that the table cannot do itself. */
export type Action =
  | { kind: 'leave' }
  | { kind: 'suspend' }
  | { kind: 'attach' | 'close'; view: TerminalView };

/** Keys that move the selection by rows. */
const STEPS: Readonly<Record<string, number>> = { up: -1, k: -1, 'ctrl+p': -1, down: 1, j: 1, 'ctrl+n': 1 };

/** Keys that move it by pages. */
const PAGES: Readonly<Record<string, number>> = { pageup: -1, 'ctrl+b': -1, pagedown: 1, 'ctrl+f': 1 };

/** Keys that move it to an end. */
const ENDS: Readonly<Record<string, 'first' | 'last'>> = {
  home: 'first',
  g: 'first',
  end: 'last',
  G: 'last',
};

/** The terminals in their order, the selected one, and the part that is shown. */
export class TopTable {
  sort: Sort;
  filter = '';
  mode: Mode = { kind: 'table' };
  /** Message that is shown until the next key. */
  message = '';
  #views: readonly TerminalView[] = [];
  #rows: TerminalView[] = [];
  /** Undefined until the person selects a terminal; until then the first row counts as selected. */
  #selected: string | undefined;
  /** Index of the selected terminal, used when that terminal goes. */
  #index = 0;
  #top = 0;
  #height = 1;

  constructor(sort: Sort) {
    this.sort = sort;
  }

  /** All terminals, oldest first. */
  get views(): readonly TerminalView[] {
    return this.#views;
  }

  set views(views: readonly TerminalView[]) {
    this.#views = views;
    this.#arrange();
  }

  /** The terminals that match the filter, in their order. */
  get rows(): readonly TerminalView[] {
    return this.#rows;
  }

  get selected(): TerminalView | undefined {
    return this.#rows[this.#index];
  }

  /** Returns the rows that a window of this height shows; the selected one is among them. */
  window(height: number): TerminalView[] {
    this.#height = Math.max(1, height);
    const last = Math.max(0, this.#rows.length - this.#height);
    this.#top = Math.max(this.#index - this.#height + 1, Math.min(this.#top, this.#index, last));
    return this.#rows.slice(this.#top, this.#top + height);
  }

  /** The places of the rows that the window shows, from 0; `to` is the first that it does not show. */
  get range(): { from: number; to: number } {
    return { from: this.#top, to: Math.min(this.#rows.length, this.#top + this.#height) };
  }

  /** Handles a key; returns the action that is left to the caller. */
  press(key: string): Action | undefined {
    this.message = '';
    if (key === 'ctrl+c') return { kind: 'leave' };
    if (key === 'ctrl+z') return { kind: 'suspend' };
    switch (this.mode.kind) {
      case 'help':
        this.mode = { kind: 'table' };
        return undefined;
      case 'filter':
        this.#pressInFilter(key);
        return undefined;
      case 'closing': {
        const { view } = this.mode;
        this.mode = { kind: 'table' };
        return key === 'y' || key === 'Y' ? { kind: 'close', view } : undefined;
      }
      case 'table':
        return this.#pressInTable(key);
    }
  }

  #pressInTable(key: string): Action | undefined {
    if (this.#move(key)) return undefined;
    const view = this.selected;
    switch (key) {
      case 'q':
        return { kind: 'leave' };
      case 'enter':
        if (view?.status === 'running') return { kind: 'attach', view };
        if (view) this.message = `${view.name} has exited; auto-terminal logs ${view.id} has its output`;
        return undefined;
      case 'c':
        if (view) this.mode = { kind: 'closing', view };
        return undefined;
      case 's':
        this.sort = SORTS[(SORTS.indexOf(this.sort) + 1) % SORTS.length]!;
        this.#arrange();
        return undefined;
      case '/':
        this.mode = { kind: 'filter' };
        return undefined;
      case 'escape':
        this.#setFilter('');
        return undefined;
      case '?':
      case 'h':
        this.mode = { kind: 'help' };
        return undefined;
      default:
        return undefined;
    }
  }

  #pressInFilter(key: string): void {
    if (key === 'enter') this.mode = { kind: 'table' };
    else if (key === 'escape') {
      this.mode = { kind: 'table' };
      this.#setFilter('');
    } else if (key === 'backspace') this.#setFilter([...this.filter].slice(0, -1).join(''));
    else if (key === 'ctrl+u') this.#setFilter('');
    // A key with a name of several characters types nothing.
    else if ([...key].length === 1) this.#setFilter(this.filter + key);
    else this.#move(key);
  }

  /** Moves the selection, if the key does that. */
  #move(key: string): boolean {
    const page = (PAGES[key] ?? 0) * this.#height;
    const step = STEPS[key] ?? page;
    const end = ENDS[key];
    if (step === 0 && end === undefined) return false;
    const wanted = end === 'first' ? 0 : end === 'last' ? Number.POSITIVE_INFINITY : this.#index + step;
    this.#index = Math.max(0, Math.min(wanted, this.#rows.length - 1));
    this.#selected = end === 'first' ? undefined : this.selected?.id;
    return true;
  }

  /** Selects the first terminal that matches; without a filter, the terminal stays selected. */
  #setFilter(filter: string): void {
    this.#selected = filter === '' ? this.selected?.id : undefined;
    this.filter = filter;
    this.#arrange();
  }

  /** Puts the rows in their order. The selected terminal stays selected, and the place if the terminal is gone. */
  #arrange(): void {
    this.#rows = sorted(
      this.#views.filter((view) => matches(view, this.filter)),
      this.sort,
    );
    if (this.#selected === undefined) {
      this.#index = 0;
      return;
    }
    const index = this.#rows.findIndex(({ id }) => id === this.#selected);
    if (index !== -1) this.#index = index;
    this.#index = Math.max(0, Math.min(this.#index, this.#rows.length - 1));
    this.#selected = this.selected?.id;
  }
}
