import type { Terminal } from '@xterm/headless';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';

/** Returns the modes of a terminal, without the content of its screen. */
export function modesOf(term: Terminal): object {
  const { buffers, coreService, coreMouseService, _charsetService, _inputHandler } = internals(term);
  const { scrollTop, scrollBottom, tabs } = buffers.active;
  // xterm.js also has a stop in the first column, which no tab can reach.
  const tabStops = Object.keys(tabs).filter((stop) => stop !== '0');
  const { fg, bg } = _inputHandler._curAttrData;
  // DECSCUSR 0 means the default shape, which an unchanged terminal has, too.
  const { cursorStyle: _style, cursorBlink: _blink, ...privates } = coreService.decPrivateModes;
  const { glevel, _charsets } = _charsetService;
  return structuredClone({
    isAlternate: buffers.active === buffers.alt,
    ...{ scrollTop, scrollBottom, tabs: tabStops, fg, bg },
    ...{ modes: { ...coreService.modes }, privates, isHidden: coreService.isCursorHidden },
    ...{ mouse: [coreMouseService.activeProtocol, coreMouseService.activeEncoding] },
    ...{ glevel, charsets: [0, 1, 2, 3].map((set) => Object.keys(_charsets[set] ?? {}).length) },
  });
}
