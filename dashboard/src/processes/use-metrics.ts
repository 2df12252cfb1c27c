import { useEffect, useRef, useState } from 'react';
import type { ProcessMetrics } from '../../../src/client/browser.js';
import { service } from '../service.js';

const REFRESH_MS = 2_000;
/** Concurrent requests: a browser has six connections to the service, some of which are in other use. */
const AT_ONCE = 3;
/** Answers are shown together, so that not each of them costs a render of the page. */
const GATHER_MS = 200;

type Figures = ReadonlyMap<string, ProcessMetrics>;
type Take = (answers: readonly ProcessMetrics[]) => void;

/**
 * Polls the figures of the terminals in view, and keeps earlier figures of the others. Also returns a function that
 * reads the figures of any terminals once.
 */
export function useMetrics(inView: readonly string[]): [Figures, (ids: readonly string[]) => Promise<void>] {
  const [metrics, setMetrics] = useState<Figures>(new Map());
  const wanted = useRef(inView);
  wanted.current = inView;
  const key = inView.toSorted().join(' ');
  const take: Take = (answers) =>
    setMetrics((before) => new Map([...before, ...answers.map((each) => [each.id, each] as const)]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that come into view are asked for at once
  useEffect(() => {
    const ending = new AbortController();
    void keepAsking(() => wanted.current, take, ending.signal);
    return () => ending.abort();
  }, [key]);
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => {
    const ending = new AbortController();
    leaving.current = ending;
    return () => ending.abort();
  }, []);
  return [metrics, (ids) => askAll(ids, take, leaving.current!.signal)];
}

async function keepAsking(wanted: () => readonly string[], take: Take, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (!document.hidden) await askAll(wanted(), take, signal);
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
  }
}

async function askAll(ids: readonly string[], take: Take, signal: AbortSignal): Promise<void> {
  const waiting = [...ids];
  let answers: ProcessMetrics[] = [];
  const show = () => {
    if (answers.length > 0 && !signal.aborted) take(answers);
    answers = [];
  };
  const showing = setInterval(show, GATHER_MS);
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined && !signal.aborted; id = waiting.shift()) {
      // A terminal that has exited in the meantime has no figures.
      const answer = await service.terminals
        .get(id)
        .metrics({ signal })
        .catch(() => undefined);
      if (answer) answers.push(answer);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  clearInterval(showing);
  show();
}
