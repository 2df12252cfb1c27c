import { say } from '../parts/toasts.js';
import '../style/notices.css';
import { beep } from './beep.js';
import { allowDesktop, changeNotices, useNoticeSettings, whyNoDesktop } from './notice-settings.js';

function play(volume: number): void {
  beep('waiting', volume).catch(() => say('This browser plays no sound', true));
}

/** Settings of this browser's notices of new needs. */
export function NoticePanel() {
  const { isDesktop, isSound, volume } = useNoticeSettings();
  const why = whyNoDesktop();
  return (
    <details className="notices">
      <summary>Notices</summary>
      <p>
        For what begins to need you while a page of the dashboard is open, unless you are looking at it. Of
        several windows, one speaks.
      </p>
      <div>
        {isDesktop && !why ? (
          <button type="button" aria-pressed="true" onClick={() => changeNotices({ isDesktop: false })}>
            Notify me
          </button>
        ) : (
          <button
            type="button"
            aria-pressed="false"
            disabled={why !== undefined}
            onClick={async () => (await allowDesktop()) || say('The browser shows no notices', true)}
          >
            Notify me
          </button>
        )}{' '}
        {why ?? 'Shows a notice of the browser.'}
      </div>
      <div>
        <label>
          <input
            type="checkbox"
            checked={isSound}
            onChange={({ target: { checked } }) => {
              changeNotices({ isSound: checked });
              if (checked) play(volume);
            }}
          />{' '}
          Sound
        </label>
        <label>
          Volume{' '}
          <input
            type="range"
            min={0}
            max={100}
            step={5}
            value={Math.round(volume * 100)}
            disabled={!isSound}
            onChange={({ target: { value } }) => changeNotices({ volume: Number(value) / 100 })}
            onPointerUp={() => play(volume)}
          />
        </label>
      </div>
    </details>
  );
}
