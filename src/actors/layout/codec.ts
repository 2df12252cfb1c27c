import { LayoutTree } from '../../contract/layout.js';
import type { Codec } from '../../store/store.js';
import { faultOfLayout } from './validate.js';

/** The stored layout: the API's own form, under the same rules as a layout that a client posts. */
export const LAYOUT_CODEC: Codec<LayoutTree> = {
  version: 1,
  schema: LayoutTree.superRefine((layout, context) => {
    const message = faultOfLayout(layout);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  }),
};
