import type { LimitFunction } from 'p-limit';
import type { ScreenActor } from './screen-actor.js';

/** Parts of a terminal that are needed to read its output. */
export interface PrintSource {
  screenActor: ScreenActor;
  renders: LimitFunction;
}
