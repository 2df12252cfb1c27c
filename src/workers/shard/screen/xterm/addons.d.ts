// Types that the addons need of `@xterm/xterm`, taken from the headless package: the real package would bring all the
// types of a browser into the service.
export type { IBufferRange, IEvent, IMarker, ITerminalAddon, Terminal } from '@xterm/headless';
