import { expect, test } from 'vitest';
import { z } from 'zod';
import { DomainError } from '#dist/contract/errors.js';
import { validatorCompiler } from '#dist/gateway/validation.js';

/** Validates a body as a route does: returns the value, or throws the client's error. */
function validate(schema: z.ZodType, body: unknown): unknown {
  const compiled = validatorCompiler({ schema, httpPart: 'body', method: 'POST', url: '/' });
  const result = compiled(body) as { value?: unknown; error?: Error };
  if (result.error) throw result.error;
  return result.value;
}

const invalid = (message: string) => expect.objectContaining({ code: 'invalid-request', message });

const Text = z.object({ name: z.string().max(5) });
const Tree = z.object({
  get children() {
    return z.array(Tree);
  },
});

test("an invalid length is the client's fault", () => {
  expect(() => validate(Text, { name: { length: [{ toString: 1 }] } })).toThrow(
    invalid('body: cannot be read'),
  );
});

test('so is a tree that is deeper than the stack', () => {
  let tree: unknown = { children: [] };
  for (let depth = 0; depth < 50_000; depth += 1) tree = { children: [tree] };
  expect(() => validate(Tree, tree)).toThrow(invalid('body: cannot be read'));
});

test('a schema that fails by itself is our fault', () => {
  const broken = z.string().refine(() => {
    throw new TypeError('a bug');
  });
  expect(() => validate(broken, 'x')).toThrow(new TypeError('a bug'));
  expect(() => validate(broken, 'x')).not.toThrow(DomainError);
});

test('any other error names the field', () => {
  expect(() => validate(Text, { name: 5 })).toThrow(
    invalid('name: Invalid input: expected string, received number'),
  );
  expect(validate(Text, { name: 'short', more: 1 })).toEqual({ name: 'short' });
});
