import { z } from 'zod';
import { DomainError } from './errors.js';
import { MAX_TERMINAL_LABEL_CHARS, MAX_TERMINAL_LABELS } from './limits.js';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._/-]*$/;
const name = z
  .string()
  .max(MAX_TERMINAL_LABEL_CHARS)
  .regex(NAME, 'must begin with a letter or digit and contain only letters, digits and . _ / -');
/** Only values that a selector can name: a selector drops blanks around a value. */
const value = z
  .string()
  .max(MAX_TERMINAL_LABEL_CHARS)
  .regex(/^[^,=\0]*$/, 'must not contain a comma, an equals sign or NUL')
  .regex(/^(?:\S(?:[\s\S]*\S)?)?$/, 'must not begin or end with a blank');

/** Names and values that a client files a terminal under. */
export const Labels = z
  .record(name, value)
  .refine((labels) => Object.keys(labels).length <= MAX_TERMINAL_LABELS, 'has too many labels');
export type Labels = z.infer<typeof Labels>;

/** Returns `labels` changed by a patch, where null removes a label. Throws invalid-request if the result is invalid. */
export function patched(labels: Labels, patch: Record<string, string | null>): Labels {
  const next = new Map(Object.entries(labels));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) next.delete(key);
    else next.set(key, value);
  }
  const parsed = Labels.safeParse(Object.fromEntries(next));
  if (!parsed.success) throw new DomainError('invalid-request', `labels: ${parsed.error.issues[0]?.message}`);
  return parsed.data;
}

/** Selects the terminals that have all of these labels. */
export const Selector = z
  .string()
  .min(1)
  .max(10_000)
  .transform((text, context) => {
    const wanted: Labels = {};
    for (const pair of text.split(',')) {
      const [key = '', ...rest] = pair.trim().split('=');
      if (rest.length !== 1 || !NAME.test(key)) {
        context.addIssue({ code: 'custom', message: 'must have the form name=value,name=value' });
        return z.NEVER;
      }
      if (Object.hasOwn(wanted, key)) {
        context.addIssue({ code: 'custom', message: `names ${key} twice` });
        return z.NEVER;
      }
      wanted[key] = rest[0]!;
    }
    return wanted;
  })
  .describe('Selects the terminals that have all of these labels, such as `role=test,repo=api`');
export type Selector = z.infer<typeof Selector>;

/** Returns a selector as clients write it. */
export function textOfSelector(selector: Selector): string {
  return Object.entries(selector)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** Returns whether `labels` include all labels of `selector`. */
export function matches(labels: Labels, selector: Selector): boolean {
  return Object.entries(selector).every(
    ([key, value]) => Object.hasOwn(labels, key) && labels[key] === value,
  );
}
