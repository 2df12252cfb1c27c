import { create } from 'zustand';
import { rangeOf } from './targets.js';

interface SelectionState {
  /** Ids of the chosen terminals. */
  selected: ReadonlySet<string>;
  /** Id at which a range begins. */
  anchor: string | undefined;
  /** Whether the bar is open; a click on a tile then chooses it. */
  isOpen: boolean;
}

export const useSelection = create<SelectionState>(() => ({
  selected: new Set(),
  anchor: undefined,
  isOpen: false,
}));

/** Ids of the tiles in the order of the wall, without tiles that are folded away. */
let shown: readonly string[] = [];

export function noteShown(ids: readonly string[]): void {
  shown = ids;
}

export function toggle(id: string): void {
  useSelection.setState(({ selected }) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    return { selected: next, anchor: id };
  });
}

/** Adds the tiles between the last chosen tile and this tile. */
export function extendTo(id: string): void {
  useSelection.setState(({ selected, anchor }) => ({
    selected: new Set([...selected, ...rangeOf(shown, anchor, id)]),
    anchor: id,
  }));
}

export function choose(ids: readonly string[]): void {
  useSelection.setState({ selected: new Set(ids), anchor: undefined });
}

export function setOpen(isOpen: boolean): void {
  useSelection.setState({ isOpen });
}

/** Chooses the tile if the click says so: with Ctrl or Shift, or while the bar is open. Returns whether it did. */
export function chosenByClick(
  id: string,
  { ctrlKey, metaKey, shiftKey }: { ctrlKey: boolean; metaKey: boolean; shiftKey: boolean },
): boolean {
  if (shiftKey) extendTo(id);
  else if (ctrlKey || metaKey || useSelection.getState().isOpen) toggle(id);
  else return false;
  return true;
}
