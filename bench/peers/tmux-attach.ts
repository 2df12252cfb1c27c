// A person's client of a tmux server, attached in a terminal whose output is read and dropped.
import { type IPty, spawn } from 'node-pty';
import { answerCalls } from '../support/peer-calls.js';

let terminal: IPty | undefined;
let bytes = 0;

const calls = {
  /** Attaches. Resolves once the client has shown something. */
  attach(args: string[], env: NodeJS.ProcessEnv, size: { cols: number; rows: number }): Promise<void> {
    const attached = spawn('tmux', [...args, 'attach-session'], { ...size, env, name: 'xterm-256color' });
    terminal = attached;
    return new Promise((resolve, reject) => {
      attached.onData((text) => {
        bytes += text.length;
        resolve();
      });
      attached.onExit(({ exitCode }) => reject(new Error(`tmux attach-session ended with ${exitCode}`)));
    });
  },

  /** Returns the number of characters that the client has shown. */
  received: (): number => bytes,

  async detach(): Promise<void> {
    if (!terminal) return;
    const ended = new Promise((resolve) => terminal!.onExit(resolve));
    terminal.kill('SIGKILL');
    await ended;
    terminal = undefined;
  },
};

export type TmuxAttachCalls = typeof calls;
answerCalls(calls);
