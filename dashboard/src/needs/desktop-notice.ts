import { changeNotices, useNoticeSettings, whyNoDesktop } from './notice-settings.js';

interface DesktopNotice {
  title: string;
  body: string;
  /** A new notice replaces an earlier notice with the same tag. */
  tag: string;
}

/** Shows a notice of the desktop, if a person has asked for notices. `onClick`: a click also brings this window up. */
export function showDesktopNotice({ title, body, tag }: DesktopNotice, onClick: () => void): void {
  if (!useNoticeSettings.getState().isDesktop || whyNoDesktop()) return;
  try {
    const shown = new Notification(title, { body, tag, icon: '/icon.svg' });
    shown.onclick = () => {
      focus();
      onClick();
      shown.close();
    };
  } catch {
    // Some mobile browsers show notices only from service workers.
    changeNotices({ isDesktop: false });
  }
}
