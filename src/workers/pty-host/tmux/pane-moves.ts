import type { ControlClient } from './control-client.js';
import type { Panes } from './panes.js';
import type { TmuxPty } from './tmux-pty.js';
import { linkInto, panesIn, parsePlace, visibleIn, whereIs } from './window.js';

/** Matches `%window-close @4`, and the same for a window that was taken out of the hub before. */
const WINDOW_CLOSED = /^%(?:unlinked-)?window-close @(\d+)/;
/** Matches a change of layout, and captures the whole layout, and the visible one, which a zoomed pane has to itself. */
const LAYOUT_CHANGED = /^%layout-change @(\d+) (\S+) (\S+)/;

interface MovesDeps {
  panes: Panes;
  run: ControlClient['run'];
  /** Target of the hub. */
  hub: string;
}

/**
 * Follows the panes of terminals, which people move to other windows, and whose windows they link, move and close. A
 * window that has a terminal must be linked into the hub (see {@link linkingHooks}).
 */
export class PaneMoves {
  readonly #deps: MovesDeps;
  /** Windows that are being linked: a second link would stay when the first is taken away. */
  readonly #linking = new Set<number>();

  constructor(deps: MovesDeps) {
    this.#deps = deps;
  }

  /** Takes a notice of tmux. */
  notice(line: string): void {
    const { panes } = this.#deps;
    const [, closed] = WINDOW_CLOSED.exec(line) ?? [];
    for (const pty of closed ? panes.inWindow(Number(closed)) : []) this.#lookFor(pty);
    const [, changed, layout = '', visible = ''] = LAYOUT_CHANGED.exec(line) ?? [];
    if (changed === undefined) return;
    const there = panesIn(layout);
    for (const pty of panes.inWindow(Number(changed))) {
      if (there.has(pty.pane.pane)) pty.size.inLayout(visibleIn(visible, pty.pane.pane));
      else this.#lookFor(pty);
    }
  }

  /** Looks for a pane that may be in another window by now, or whose window may be in other sessions. */
  #lookFor(pty: TmuxPty): void {
    const { panes, run, hub } = this.#deps;
    run(whereIs(pty.pane.pane, hub), (answer) => {
      const known = panes.windowOf(pty);
      if (known === undefined) return;
      if ('fault' in answer && answer.isUnanswered) {
        this.#lookFor(pty);
        return;
      }
      const place = 'lines' in answer ? parsePlace(answer.lines) : null;
      // Of a window whose other sessions are closed, the hub would show the rest for ever.
      if (!place || (place.window === known && !place.isElsewhere)) {
        pty.lost();
        return;
      }
      panes.moved(pty, place.window);
      pty.size.inLayout(place.size);
      // A hook has linked it already, unless people have changed the hooks, or have taken the window out of the hub.
      if (!place.isInHub) this.#link(place.window);
    });
  }

  #link(window: number): void {
    if (this.#linking.has(window)) return;
    this.#linking.add(window);
    const { run, hub } = this.#deps;
    run([linkInto(window, hub)], () => this.#linking.delete(window));
  }
}
