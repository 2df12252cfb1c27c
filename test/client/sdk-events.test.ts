import { expect, test } from 'vitest';
import { answering } from '../support/scripted-server.js';
import { closeAfterEach, connectTo } from '../support/sdk.js';

closeAfterEach();

test('an event may hold any text', async () => {
  const texts = ['plain', 'a: b', ' blank', 'U+2028 \u2028 and \u2029', '\u0085', '\r', '😀', ''];
  const server = await answering(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: e-0\nevent: ready\ndata: {}\n\n: comment \u2028\n\n');
    for (const [index, text] of texts.entries())
      response.write(
        `id: e-${index + 1}\ndata: ${JSON.stringify({ type: 'watch.matched', data: { text } })}\n\n`,
      );
  });
  const told: unknown[] = [];
  for await (const event of connectTo({ url: server.url, env: {} }).events()) {
    if (!('data' in event)) throw new Error('nothing is missing');
    told.push([event.id, event.data.text]);
    if (told.length === texts.length) break;
  }
  expect(told).toEqual(texts.map((text, index) => [`e-${index + 1}`, text]));
});
