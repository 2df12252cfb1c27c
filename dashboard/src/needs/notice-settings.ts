import { create } from 'zustand';

/** Settings of this browser's notices of new needs. */
export interface NoticeSettings {
  isDesktop: boolean;
  isSound: boolean;
  /** 0 to 1. */
  volume: number;
}

const KEY = 'auto-terminal.notices';
const OFF: NoticeSettings = { isDesktop: false, isSound: false, volume: 0.5 };

function stored(): NoticeSettings {
  try {
    const { isDesktop, isSound, volume } = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return {
      isDesktop: isDesktop === true,
      isSound: isSound === true,
      volume: typeof volume === 'number' ? Math.min(1, Math.max(0, volume)) : OFF.volume,
    };
  } catch {
    return OFF;
  }
}

export const useNoticeSettings = create<NoticeSettings>(stored);

addEventListener('storage', ({ key }) => {
  if (key === KEY) useNoticeSettings.setState(stored());
});

export function changeNotices(change: Partial<NoticeSettings>): void {
  useNoticeSettings.setState(change);
  const { isDesktop, isSound, volume } = useNoticeSettings.getState();
  try {
    localStorage.setItem(KEY, JSON.stringify({ isDesktop, isSound, volume }));
  } catch {
    // Without storage, the change holds until the page is closed.
  }
}

/** Returns in words why the browser shows no notices; undefined if it can. */
export function whyNoDesktop(): string | undefined {
  if (!isSecureContext) {
    return 'Not available here: browsers show notices only for https addresses and for localhost.';
  }
  if (!('Notification' in window)) return 'Not available: this browser has no notices.';
  if (Notification.permission === 'denied') {
    return 'The browser refuses them for this address. Allow them in its settings for this page.';
  }
  return undefined;
}

/** Asks the person, and resolves with whether notices are shown from now on. Call it on a click only. */
export async function allowDesktop(): Promise<boolean> {
  const isAllowed = (await Notification.requestPermission()) === 'granted';
  changeNotices({ isDesktop: isAllowed });
  return isAllowed;
}
