/** Errors of webhooks; part of the catalogue. */
export const WEBHOOK_ERRORS = {
  'webhook-not-found': {
    status: 404,
    message: 'Webhook not found',
    fix: 'GET /api/webhooks lists the webhooks',
  },
  'too-many-webhooks': {
    status: 409,
    message: 'There are too many webhooks',
    fix: 'Delete a webhook first',
  },
  'webhook-address-refused': {
    status: 400,
    message: 'url: names a link-local address or one at which a cloud serves credentials',
    fix: 'Name another address; loopback and private addresses are allowed',
  },
} as const;
