/** Errors of the input gate; part of the catalogue. */
export const INPUT_ERRORS = {
  locked: {
    status: 423,
    message: 'The terminal is busy: nothing was typed',
    fix: 'Try again after retryAfterMs, wait in line with whenBusy "queue", or take a lease; GET /api/terminals/{id}/lease shows who holds it',
  },
  'lease-lost': {
    status: 423,
    message: 'The lease has ended: nothing was typed',
    fix: 'Look at the terminal, then take a new lease with POST /api/terminals/{id}/lease',
  },
  'agent-waiting': {
    status: 409,
    message: 'The agent has a question: nothing was typed',
    fix: 'Read the question on the screen, and answer it without ifAgent',
  },
  'agent-busy': {
    status: 409,
    message: 'The agent is not in a state that ifAgent names: nothing was typed',
    fix: 'POST /api/terminals/{id}/wait with until "agent" waits for a status',
  },
  'no-agent': {
    status: 409,
    message: 'No agent runs in the terminal: nothing was typed',
    fix: 'GET /api/terminals?view=full shows which terminals have agents',
  },
} as const;
