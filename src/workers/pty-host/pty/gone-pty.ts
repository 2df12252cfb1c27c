import type { PtyPort } from './pty-port.js';

/** The terminal of a program that an earlier host left behind: nothing can be read from it or typed into it. */
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

  close(): void {}
}
