/**
 * Output that makes a screen like new: a full reset (RIS), after resets of the state that RIS leaves in xterm: colours,
 * titles, a blinking or hidden cursor, and LF as CR LF.
 */
export const RESET = Buffer.from(
  '\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07\x1b]0;\x07\x1b[?12l\x1b[20l\x1b[?25h\x1bc',
);
