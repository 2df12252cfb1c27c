import { create } from 'zustand';
import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';
import { changeTitle } from '../parts/page-title.js';
import { screenHub } from '../screens/screen-hub.js';
import { beep } from './beep.js';
import { showDesktopNotice } from './desktop-notice.js';
import type { Need } from './needs.js';
import { useNeeds } from './needs-store.js';
import { useNoticeSettings } from './notice-settings.js';
import { isToBeSaid, type Notice, noticeOf, Transitions } from './notices.js';

const NAME = 'auto-terminal.notices';
/** Time in which a window shows new needs, and reports to the other windows which of them a person sees. */
const SEEN_AFTER_MS = 300;
/** Pause before a notice, of more than a second, since browsers run timers of hidden pages once a second. */
const SAY_AFTER_MS = 1_300;
/** Least milliseconds between two announcements to screen readers. */
const VOICE_MS = 5_000;

/** The last notice, for screen readers. */
export const useVoice = create<{ text: string }>(() => ({ text: '' }));

function nameOf(terminalId: string): string {
  const terminal = useFleet.getState().terminals.get(terminalId);
  return plainLabel(terminal?.name ?? terminalId);
}

/** Whether a person looks at the terminal in this window. */
function isInView({ terminalId }: Need): boolean {
  if (!document.hasFocus()) return false;
  return location.pathname === `/t/${terminalId}` || screenHub.isWatched(terminalId);
}

/** Announces new needs. Of several windows, one makes sounds and shows notices. */
export class Notifier {
  readonly #transitions = new Transitions();
  readonly #channel = new BroadcastChannel(NAME);
  readonly #open: (need: Need) => void;
  /** Keys of needs that a person sees in any window. */
  readonly #seen = new Set<string>();
  #speaks = !navigator.locks;
  #begun: Array<{ need: Need; at: number }> = [];
  #present: ReadonlySet<string> = new Set();
  #saying: ReturnType<typeof setTimeout> | undefined;
  #spokenAt = 0;

  /** `open` shows a need when a person clicks on its notice. */
  constructor(signal: AbortSignal, open: (need: Need) => void) {
    this.#open = open;
    this.#channel.onmessage = ({ data }) => {
      if (typeof data === 'string') this.#seen.add(data);
    };
    const leave = useNeeds.subscribe(({ count }) => changeTitle({ count }));
    signal.addEventListener('abort', () => {
      leave();
      clearTimeout(this.#saying);
      this.#channel.close();
    });
    navigator.locks
      ?.request(NAME, { signal }, () => {
        this.#speaks = true;
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      })
      // The page was closed before it got the lock.
      .catch(() => {});
  }

  take(needs: readonly Need[]): void {
    this.#present = new Set(needs.map(({ key }) => key));
    const begun = this.#transitions.take(needs);
    if (begun.length === 0) return;
    const at = Date.now();
    this.#begun.push(...begun.map((need) => ({ need, at })));
    setTimeout(() => this.#tellSeen(begun), SEEN_AFTER_MS);
    this.#saying ??= setTimeout(() => this.#say(), SAY_AFTER_MS);
  }

  #tellSeen(needs: readonly Need[]): void {
    for (const need of needs.filter(isInView)) {
      this.#seen.add(need.key);
      this.#channel.postMessage(need.key);
    }
  }

  #say(): void {
    this.#saying = undefined;
    const present = this.#present;
    const isSeen = (need: Need) => this.#seen.has(need.key) || isInView(need);
    // For needs that have just begun, other windows have not yet reported whether a person sees them.
    const isRipe = ({ at }: { at: number }) => Date.now() - at >= SEEN_AFTER_MS * 2;
    const ripe = this.#begun.filter(isRipe).map(({ need }) => need);
    this.#begun = this.#begun.filter((each) => !isRipe(each));
    if (this.#begun.length > 0) this.#saying = setTimeout(() => this.#say(), SAY_AFTER_MS);
    const needs = ripe.filter((need) => isToBeSaid(need, { present, isSeen }));
    for (const { key } of ripe) this.#seen.delete(key);
    const notice = noticeOf(needs, nameOf);
    if (!notice) return;
    this.#voice(notice);
    if (!this.#speaks) return;
    const { isSound, volume } = useNoticeSettings.getState();
    if (isSound) beep(notice.kind, volume).catch(() => {});
    this.#show(notice);
  }

  #voice({ body }: Notice): void {
    const now = Date.now();
    if (now - this.#spokenAt < VOICE_MS) return;
    this.#spokenAt = now;
    useVoice.setState({ text: body });
  }

  #show({ title, body, need }: Notice): void {
    const tag = need ? need.terminalId : NAME;
    showDesktopNotice({ title, body, tag }, () => need && this.#open(need));
  }
}
