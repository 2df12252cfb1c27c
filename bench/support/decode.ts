/** How a client receives a terminal's output. */
export type Encoding = 'websocket' | 'sse' | 'tmux-control';

/** Returns the terminal output within the bytes that a client has received, piece by piece, in order. */
export function decode(encoding: Encoding, bytes: Buffer): Iterable<Buffer> {
  switch (encoding) {
    case 'websocket':
      return outputOfFrames(bytes);
    case 'sse':
      return outputOfEvents(bytes);
    case 'tmux-control':
      return outputOfLines(bytes);
  }
}

/**
 * Yields the messages of a server's WebSocket frames, which are not masked, and the offset where each ends. Skips
 * control frames.
 */
export function* framesOf(bytes: Buffer, from: number): Iterable<{ text: Buffer; end: number }> {
  for (let at = from; at + 2 <= bytes.length; ) {
    const [opcode, short] = [bytes[at]!, bytes[at + 1]!];
    const header = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (at + header > bytes.length) return;
    const length =
      short === 127
        ? Number(bytes.readBigUInt64BE(at + 2))
        : short === 126
          ? bytes.readUInt16BE(at + 2)
          : short;
    const end = at + header + length;
    if (end > bytes.length) return;
    if (opcode === 0x81) yield { text: bytes.subarray(at + header, end), end };
    // Neither the service nor ws splits a message into several frames.
    else if ((opcode & 0x0f) < 0x8)
      throw new Error(`unexpected WebSocket frame with opcode 0x${opcode.toString(16)}`);
    at = end;
  }
}

/** Returns the offset where the body of an HTTP answer begins. */
export function bodyStart(bytes: Buffer): number {
  return bytes.indexOf('\r\n\r\n') + 4;
}

function* outputOfFrames(bytes: Buffer): Iterable<Buffer> {
  for (const { text } of framesOf(bytes, bodyStart(bytes))) {
    const { event } = JSON.parse(text.toString()) as { event?: { type: string; data: { content: string } } };
    if (event?.type === 'output.data') yield Buffer.from(event.data.content);
  }
}

/** Yields the output of server-sent events that are arrays as in asciinema: time, `o`, output. */
function* outputOfEvents(bytes: Buffer): Iterable<Buffer> {
  const body = Buffer.concat([...chunksOf(bytes)]);
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf('\n\n', at);
    if (end < 0) return;
    const text = body.toString('utf8', at, end);
    at = end + 2;
    if (!text.startsWith('data: [')) continue;
    const [, kind, output] = JSON.parse(text.slice('data: '.length)) as [number, string, string];
    if (kind === 'o') yield Buffer.from(output);
  }
}

/** Yields the chunks of an HTTP answer with chunked transfer encoding. */
function* chunksOf(bytes: Buffer): Iterable<Buffer> {
  for (let at = bodyStart(bytes); ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return;
    const length = Number.parseInt(bytes.toString('latin1', at, line), 16);
    at = line + 2 + length + 2;
    yield bytes.subarray(line + 2, line + 2 + length);
  }
}

/** Yields the output of `%output` lines, in which tmux writes control characters and backslashes as octal digits. */
function* outputOfLines(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\n', at);
    if (end < 0) return;
    const line = bytes.toString('latin1', at, end);
    at = end + 1;
    if (!line.startsWith('%output ')) continue;
    const content = line.slice(line.indexOf(' ', '%output '.length) + 1);
    const plain = content.replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    yield Buffer.from(plain, 'latin1');
  }
}
