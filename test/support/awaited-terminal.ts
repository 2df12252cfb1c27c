import type { DomainError } from '../../src/contract/errors.js';
import { hrMs } from '../../src/workers/clock.js';
import type { Awaited } from '../../src/workers/shard/protocol.js';
import { encodeCursor } from '../../src/workers/shard/reader.js';
import { ShellRanges } from '../../src/workers/shard/stages/shell-ranges.js';
import { OutputWaits } from '../../src/workers/shard/waits/output-waits.js';
import { screenActor as screenActorOf } from './screen-actor.js';

/** A terminal of 40 columns and 6 rows, and the waits for its output. */
export function awaitedTerminal({ isCaughtUp = true } = {}) {
  const screenActor = screenActorOf({ cols: 40, rows: 6 });
  const tracker = { shellRanges: new ShellRanges(0, undefined) };
  const body = { screenActor, tracker, received: 0, printedAt: hrMs() };
  const waits = new OutputWaits();
  if (isCaughtUp) waits.begin(body);
  let last = 0;
  return {
    ...{ screenActor, body, waits, tracker },
    write: (output: string) => {
      const bytes = Buffer.from(output);
      screenActor.write(bytes);
      body.received += bytes.length;
      body.printedAt = hrMs();
      if (!waits.isEmpty) waits.output(bytes);
    },
    cursor: () => screenActor.ask((view) => encodeCursor(view.cursor)),
    /** Starts a wait; `outcome` gets its position or error code. A second entry in `outcome` is a fault. */
    wait: (awaited: Awaited) => {
      const number = ++last;
      const outcome: Array<number | string> = [];
      const ended = waits.add(number, awaited).then(
        ({ position }) => void outcome.push(position),
        (error: DomainError) => void outcome.push(error.code),
      );
      return { number, outcome, ended };
    },
    /** Resolves once all output written so far has been checked against the waits. */
    settled: async () => {
      for (let turn = 0; turn < 3; turn++) {
        await screenActor.ask(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    },
  };
}
