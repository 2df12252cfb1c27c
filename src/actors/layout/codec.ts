import { LayoutTree } from '../../contract/layout.js';
import type { Codec } from '../../store/store.js';
import { faultOfLayout } from './validate.js';

/** The stored layout: the API's own form, held to the same rules as one that a client posts. */
export const LAYOUT_CODEC: Codec<LayoutTree> = {
  version: 1,
  schema: LayoutTree.superRefine((layout, context) => {
    const message = faultOfLayout(layout);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  }),
};
