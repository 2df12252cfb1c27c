import type { KeptPty, PtyPort } from './pty-port.js';

/** The terminal of a program that had ended when this host began, or was ended by it: nothing can be read from it or typed into it. */
export class GonePty implements PtyPort {
  readonly answersQueries = true;
  readonly written = 0;
  readonly pendingInput = 0;
  readonly hiddenEnd = 0;
  readonly pid: number;
  readonly leader: number;

  constructor(pid: number, leader: number) {
    this.pid = pid;
    this.leader = leader;
  }

  update(): void {}

  write(): void {}

  resize(): void {}

  async capture(): Promise<null> {
    return null;
  }

  async readAll(): Promise<true> {
    return true;
  }

  keep(): KeptPty {
    return { files: null, end: null, drain: null, input: [] };
  }

  close(): void {}
}
