import { describe, expect, test } from 'vitest';
import { mergePatch, withoutEqual } from '#dist/config/merge-patch.js';

test('a patch without the values that hold already', () => {
  const current = { a: 1, b: { c: [1, { d: 2 }], e: 'x' }, f: null };
  expect(withoutEqual(current, current)).toEqual({});
  expect(withoutEqual({ a: 2, b: { c: [1, { d: 2 }], e: null }, g: {} }, current)).toEqual({
    a: 2,
    b: { e: null },
    g: {},
  });
});

test('a patch without the values that several objects have alike', () => {
  const patch = { a: 1, b: { c: 1, d: 1 }, e: { f: 1 } };
  expect(withoutEqual(patch, patch, { a: 2, b: { c: 2, d: 1 }, e: 5 })).toEqual({
    a: 1,
    b: { c: 1 },
    e: { f: 1 },
  });
});

describe('a merge patch', () => {
  test.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ a: 'foo' }, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j and %j make %j (RFC 7396, appendix A)', (target, patch, merged) => {
    expect(mergePatch(target, patch)).toEqual(merged);
  });

  test('reaches no prototype', () => {
    mergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}'));
    expect({}).not.toHaveProperty('polluted');
  });
});
