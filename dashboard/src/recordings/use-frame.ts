import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { ToFrame, ToPage } from '../player/messages.js';

interface FrameState {
  isReady: boolean;
  isPlaying: boolean;
  /** Second of the playback. */
  at: number;
  error: string | undefined;
}

interface Frame {
  ref: RefObject<HTMLIFrameElement | null>;
  state: FrameState;
  /** Posts a message; a message that comes before the frame is ready waits. */
  post: (message: ToFrame) => void;
}

const send = (frame: HTMLIFrameElement | null, message: ToFrame) =>
  frame?.contentWindow?.postMessage(message, location.origin);

/** Exchanges messages with the document of the player. */
export function useFrame(onLeave: () => void): Frame {
  const ref = useRef<HTMLIFrameElement>(null);
  const leave = useRef(onLeave);
  leave.current = onLeave;
  const [state, setState] = useState<FrameState>({
    isReady: false,
    isPlaying: false,
    at: 0,
    error: undefined,
  });
  /** Messages that wait for the frame; undefined once it is ready. */
  const waiting = useRef<ToFrame[] | undefined>([]);
  const post = (message: ToFrame) => {
    if (waiting.current) waiting.current.push(message);
    else send(ref.current, message);
  };
  // Listens before the frame can load: the frame sends its first message only once.
  useLayoutEffect(() => {
    const take = ({ origin, source, data }: MessageEvent<ToPage>) => {
      if (origin !== location.origin || source !== ref.current?.contentWindow) return;
      if (data.kind === 'ready') {
        for (const message of waiting.current ?? []) send(ref.current, message);
        waiting.current = undefined;
        setState((before) => ({ ...before, isReady: true }));
      } else if (data.kind === 'failed') setState((before) => ({ ...before, error: data.error }));
      else if (data.kind === 'leave') leave.current();
      else if (data.kind === 'state') {
        const { isPlaying, at } = data;
        setState((before) =>
          before.isPlaying === isPlaying && before.at === at ? before : { ...before, isPlaying, at },
        );
      }
    };
    addEventListener('message', take);
    return () => removeEventListener('message', take);
  }, []);
  return { ref, state, post };
}
