import { expect, it } from 'vitest';
import type { CommandContext } from '../../src/gateway/ws/commands.js';
import { dispatch } from '../../src/gateway/ws/dispatch.js';

/** The context of a client that may only send messages that are no commands. */
const context = {} as CommandContext;

it.each(['"a"', '7', 'null', '{"a":[1]}'])('echoes the id %s', async (id) => {
  expect(await dispatch(`{"type":"hello","id":${id}}`, context)).toEqual({
    id: JSON.parse(id),
    success: true,
  });
});

it.each(['hello', 'subscribe', 'command'])(
  'refuses a message of the type %s with an id that cannot be echoed, and does nothing',
  async (type) => {
    const depth = 20_000;
    const id = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const reply = await dispatch(JSON.stringify({ type, payload: {} }).replace('{', `{"id":${id},`), context);
    expect(JSON.parse(JSON.stringify(reply))).toMatchObject({
      ...{ id: null, success: false, code: 'malformed-message', status: 400 },
    });
  },
);
