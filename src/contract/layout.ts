import { z } from 'zod';
import { MAX_LAYOUT_DEPTH, MAX_PANE_SIZE } from './limits.js';
import { label } from './strings.js';

const identifier = label.min(1);

/** Arrangement of a split's children: side by side, or one below the other. */
export const Direction = z.enum(['horizontal', 'vertical']);
export type Direction = z.infer<typeof Direction>;

export const LeafPane = z
  .object({ type: z.literal('leaf'), id: identifier, terminalId: identifier })
  .meta({ id: 'LeafPane' });
export type LeafPane = z.infer<typeof LeafPane>;

export const SplitPane = z
  .object({
    type: z.literal('split'),
    id: identifier,
    direction: Direction.describe('`horizontal`: side by side; `vertical`: one below the other'),
    sizes: z
      .array(z.number().positive().max(MAX_PANE_SIZE))
      .min(1)
      .describe(
        'One for each child, as fractions of the whole; if their sum is not 1, they are scaled to it',
      ),
    get children() {
      return z.array(Pane).min(1);
    },
  })
  .meta({ id: 'SplitPane' });
export type SplitPane = z.infer<typeof SplitPane>;

/** A terminal, or several panes side by side or one below the other. */
export const Pane = z.discriminatedUnion('type', [LeafPane, SplitPane]).meta({ id: 'Pane' });
export type Pane = z.infer<typeof Pane>;

export const Tab = z
  .object({
    id: identifier,
    title: label,
    activePaneId: identifier.describe('Id of a leaf of this tab'),
    root: Pane,
  })
  .meta({ id: 'Tab' });
export type Tab = z.infer<typeof Tab>;

/** Answer of `GET /api/layout`, body of `POST /api/layout`: every running terminal is in exactly one pane. */
export const LayoutTree = z
  .object({
    version: z.literal(1),
    activeTabId: identifier.nullable().describe('null when there are no tabs'),
    tabs: z.array(Tab),
  })
  .meta({ id: 'Layout' });
export type LayoutTree = z.infer<typeof LayoutTree>;

/** JSON levels of the deepest layout: an object and an array for each split, and the levels around the root. */
const MAX_JSON_DEPTH = 2 * MAX_LAYOUT_DEPTH + 5;

/** Returns whether a value nests deeper than a layout may. Not recursive, since a body may hold a million brackets. */
function nestsTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_JSON_DEPTH) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** {@link LayoutTree} from a client. Refuses a body that nests deeper than any layout before the schema visits it. */
export const LayoutBody = z.preprocess((value, context) => {
  if (!nestsTooDeep(value)) return value;
  context.addIssue({ code: 'custom', message: `panes are nested deeper than ${MAX_LAYOUT_DEPTH} splits` });
  return z.NEVER;
}, LayoutTree);

/** Answer of `POST /api/layout`. */
export const LayoutRestored = z.object({
  status: z.literal('ok'),
  missing: z
    .array(z.string())
    .describe('Terminals of the posted layout that are not running; their panes were dropped'),
});
