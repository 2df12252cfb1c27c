import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { ToFrame, ToPage } from '../player/messages.js';

interface FrameState {
  isReady: boolean;
  isPlaying: boolean;
  /** Second of what is played. */
  at: number;
  error: string | undefined;
}

interface Frame {
  ref: RefObject<HTMLIFrameElement | null>;
  state: FrameState;
  post: (message: ToFrame) => void;
}

/** Talks with the document of the player. */
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
  // Before the frame can load: its first message is sent once.
  useLayoutEffect(() => {
    const take = ({ origin, source, data }: MessageEvent<ToPage>) => {
      if (origin !== location.origin || source !== ref.current?.contentWindow) return;
      if (data.kind === 'ready') setState((before) => ({ ...before, isReady: true }));
      else if (data.kind === 'failed') setState((before) => ({ ...before, error: data.error }));
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
  const post = (message: ToFrame) => ref.current?.contentWindow?.postMessage(message, location.origin);
  return { ref, state, post };
}
