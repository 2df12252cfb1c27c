/** A tmux client's output breaks tmux' protocol: nothing after it can be trusted. */
export class ControlStreamError extends Error {
  override readonly name = 'ControlStreamError';
}
