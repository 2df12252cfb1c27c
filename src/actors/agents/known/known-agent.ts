import type { ScreenRule } from '../screen-rule.js';

/** Names by which a built-in agent is recognized, and the signs on its screen. */
export interface KnownAgent {
  /** Names of its executables, as in a `bin` folder. */
  commands: readonly string[];
  /**
   * Names by which an interpreter runs it: a package (`@scope/name`, `name`), also as a Python module, or a sequence of
   * whole path segments (`my-agent/main.py`).
   */
  scripts: readonly string[];
  /**
   * Signs on its screen, as its makers draw them; found in their sources and in captures of their screens. The first
   * rule that holds decides, so rules for `waiting` come before those for `working`, and these before those for `idle`.
   */
  rules?: readonly ScreenRule[];
}
