// Types into terminals over WebSocket, one key after the other, and reports how long each echo took. Runs in a process
// of its own, so that no other work of the bench delays an echo. One process serves all compared servers, so that each
// meets the same client in the same state of warm-up.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { answerCalls } from '../support/peer-calls.js';

/** Time after which a missing echo is an error. */
const ECHO_DEADLINE_MS = 20_000;

/** Pause between keys, so that each key finds the server idle, as a person's keys do. */
const PAUSE_MS = 2;

interface Keyboard {
  socket: WebSocket;
  terminalId: string;
  /** Called with the time of each output of the terminal. */
  echoed: (at: number) => void;
}

const keyboards: Keyboard[] = [];

const calls = {
  /** Connects to a terminal. Resolves with the number of the keyboard. */
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

  /** Types `keys` keys. Resolves with the milliseconds from each keystroke to its echo. */
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
