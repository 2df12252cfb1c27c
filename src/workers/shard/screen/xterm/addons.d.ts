// What the addons' types need of `@xterm/xterm`, taken from the package without a page: the real one would bring all the
// types of a browser into the service.
export type { IBufferRange, IEvent, IMarker, ITerminalAddon, Terminal } from '@xterm/headless';
