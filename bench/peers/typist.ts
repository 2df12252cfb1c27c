// Types into terminals over WebSocket, one key after the other, and tells how long each echo took. A process of its own,
// so that nothing else of the bench stands between a key and its echo; one for all servers that are compared, so that
// each meets the same client, warmed up alike.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { answerCalls } from '../support/peer-calls.js';

/** An echo that takes longer never comes. */
const ECHO_DEADLINE_MS = 20_000;

/** A person pauses between keys, so that each finds the server at rest. */
const PAUSE_MS = 2;

interface Keyboard {
  socket: WebSocket;
  terminalId: string;
  /** Called with the next output of the terminal, at the moment it arrives. */
  echoed: (at: number) => void;
}

const keyboards: Keyboard[] = [];

const calls = {
  /** Connects to a terminal; gives the number of the keyboard. */
  async open(socketUrl: string, terminalId: string): Promise<number> {
    const socket = new WebSocket(socketUrl);
    const keyboard: Keyboard = { socket, terminalId, echoed: () => {} };
    const welcome = once(socket, 'message');
    socket.on('message', (message: Buffer) => {
      const at = performance.now();
      const { event } = JSON.parse(message.toString()) as { event?: { type: string; terminalId: string } };
      if (event?.type === 'output.data' && event.terminalId === terminalId) keyboard.echoed(at);
    });
    await welcome;
    return keyboards.push(keyboard) - 1;
  },

  /** Gives the milliseconds from each keystroke to its echo. */
  async type(number: number, keys: number): Promise<number[]> {
    const keyboard = keyboards[number]!;
    const times: number[] = [];
    while (times.length < keys) {
      times.push(await press(keyboard));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return times;
  },

  async close(number: number): Promise<void> {
    const { socket } = keyboards[number]!;
    socket.close();
    await once(socket, 'close');
  },
};
export type TypistCalls = typeof calls;
answerCalls(calls);

function press(keyboard: Keyboard): Promise<number> {
  const { socket, terminalId } = keyboard;
  return new Promise<number>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`no echo in ${ECHO_DEADLINE_MS} ms from ${terminalId}`)),
      ECHO_DEADLINE_MS,
    );
    const begin = performance.now();
    keyboard.echoed = (at) => {
      clearTimeout(late);
      resolve(at - begin);
    };
    const payload = { action: 'terminal:input', terminalId, data: 'x' };
    socket.send(JSON.stringify({ id: 1, type: 'command', payload }));
  });
}
