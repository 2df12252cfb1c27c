/** A tmux client has written something that tmux does not write: nothing after it can be trusted. */
export class ControlStreamError extends Error {
  override readonly name = 'ControlStreamError';
}
