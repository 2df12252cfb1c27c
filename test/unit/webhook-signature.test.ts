import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newSecret, signatureHeaders } from '../../src/actors/webhooks/signature.js';

describe('signatures of webhooks', () => {
  it('are those of the vector that the libraries of Standard Webhooks test with', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
    expect(signatureHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message, 1_614_265_330)).toEqual({
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('have a key of 32 random bytes, which no two webhooks share', () => {
    const secrets = Array.from({ length: 100 }, newSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
  });

  it('cover every character of the body', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (body, seconds) => {
        const secret = newSecret();
        const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
        const bytes = Buffer.concat([Buffer.from(`m.${seconds}.`), Buffer.from(body)]);
        const wanted = createHmac('sha256', key).update(bytes).digest('base64');
        const headers = signatureHeaders(secret, { id: 'm', body }, seconds);
        expect(headers['webhook-signature']).toBe(`v1,${wanted}`);
      }),
    );
  });
});
