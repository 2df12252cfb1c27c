/** What came from a tmux client is not what tmux writes: nothing behind it can be trusted. */
export class ControlStreamError extends Error {
  override readonly name = 'ControlStreamError';
}
