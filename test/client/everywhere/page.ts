import * as sdk from '#dist/client/browser.js';
import type { Ground } from './cases.js';
import { type Outcomes, runCases } from './run-cases.js';

/** Runs the cases in a page. */
export function main(ground: Ground): Promise<Outcomes> {
  return runCases({ ...sdk, connect: (url) => sdk.AutoTerminal.connect({ url }) }, ground);
}
