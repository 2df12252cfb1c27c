import { describe, expect, it } from 'vitest';
import { createTokenIssuer } from '#dist/gateway/legacy-token.js';

const body = { permissions: [] };

describe('the legacy token', () => {
  it('is signed: another time has another signature', () => {
    const issue = createTokenIssuer();
    const [first, same, later] = [issue(body, 5_000), issue(body, 5_999), issue(body, 6_000)];
    expect(first).toBe(same);
    expect(first.split('.')[2]).not.toBe(later.split('.')[2]);
  });

  it('has a key of its own for each process', () => {
    const [one, other] = [createTokenIssuer()(body, 0), createTokenIssuer()(body, 0)];
    expect(one.split('.').slice(0, 2)).toEqual(other.split('.').slice(0, 2));
    expect(one.split('.')[2]).not.toBe(other.split('.')[2]);
  });
});
