import { Fragment, type ReactNode, useRef } from 'react';
import { Group, type Layout, Panel, Separator } from 'react-resizable-panels';
import { type Leaf, type Pane, resized } from './layout-tree.js';
import { changeLayout } from './use-layout.js';

interface PaneTreeProps {
  pane: Pane;
  /** Draws a terminal's pane. */
  leaf: (leaf: Leaf) => ReactNode;
}

const PERCENT = 100;
/** Sizes that differ by less are the same: they come back rounded. */
const ROUNDING = 0.005;

/** Panes side by side and one below the other, whose borders can be moved by pointer and by key. */
export function PaneTree({ pane, leaf }: PaneTreeProps) {
  const shown = useRef<readonly number[]>([]);
  if (pane.type === 'leaf') return leaf(pane);
  const { id, direction, children, sizes } = pane;
  shown.current = sizes;
  const save = (layout: Layout) => {
    const now = children.map((child) => (layout[child.id] ?? 0) / PERCENT);
    if (now.every((size, at) => Math.abs(size - (shown.current[at] ?? 0)) < ROUNDING)) return;
    void changeLayout((before) => resized(before, id, now));
  };
  return (
    <Group
      // A new key makes the panes take sizes that another window has set.
      key={`${id} ${sizes.map((size) => size.toFixed(3)).join(' ')}`}
      orientation={direction}
      defaultLayout={Object.fromEntries(children.map((child, at) => [child.id, sizes[at]! * PERCENT]))}
      onLayoutChanged={save}
    >
      {children.map((child, at) => (
        <Fragment key={child.id}>
          {at > 0 && <Separator className="separator" />}
          <Panel id={child.id} minSize="5%">
            <PaneTree pane={child} leaf={leaf} />
          </Panel>
        </Fragment>
      ))}
    </Group>
  );
}
