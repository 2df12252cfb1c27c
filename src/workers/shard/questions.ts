import type { Capture, Snapshot } from '../../contract/terminal.js';
import type { AttachedTerminal } from './attached-terminal.js';
import type { OutputQuery, ReadPage } from './protocol.js';
import { readLines, readSince } from './reader.js';
import { captureSteps, placeStatusOf, screenStatusOf, snapshotSteps } from './screen-answers.js';
import type { PlaceStatus, ScreenStatus } from './screen-status.js';
import type { ScreenView } from './screen-view.js';

/** Returns the visible screen, and ends a frame at its `seq`, so that watching clients can continue from there. */
export function takeSnapshot({ screenActor, stream, secret }: AttachedTerminal): Promise<Snapshot> {
  stream.endFrame();
  return screenActor.askSteps((view) => snapshotSteps(view, secret), { own: false, need: 'shown' });
}

export function takeCapture(attached: AttachedTerminal, scrollback: boolean): Promise<Capture> {
  const capture = ({ screen }: ScreenView) =>
    captureSteps(screen, { scrollback, exited: attached.exited !== undefined });
  const need = scrollback ? 'screen' : 'shown';
  return attached.screenActor.askSteps(capture, { own: false, need });
}

/** Returns printed lines of scrollback and screen, or with `since` the output after that cursor. */
export function readOutput(attached: AttachedTerminal, query: OutputQuery): Promise<ReadPage> {
  return query.since === undefined ? readLines(attached, query) : readSince(attached, query.since, query);
}

/** Like {@link lookAtScreen}, but without the contents of the screen; mostly takes no parsing. */
export function lookAtPlace(attached: AttachedTerminal): Promise<PlaceStatus> {
  return attached.screenActor.askPlace((place) => placeStatusOf(place, attached.printedAt));
}

export function lookAtScreen(attached: AttachedTerminal): Promise<ScreenStatus> {
  return attached.screenActor.ask((view) => screenStatusOf(view, attached.printedAt));
}
