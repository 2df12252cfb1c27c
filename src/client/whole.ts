import type { WireAnswer } from './transport.js';

/** Resolves with the whole body of an answer as text. Rejects as the body does. */
export async function textOf(answer: WireAnswer): Promise<string> {
  return new TextDecoder().decode(await wholeOf(answer));
}

/** Resolves with the whole body of an answer. Rejects as the body does. */
export async function wholeOf({ body }: WireAnswer): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
