import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { say } from '../parts/toasts.js';
import { sendText, type Target } from './answers.js';
import { draftOf, keepDraft } from './draft.js';
import { sendingOf } from './sending.js';

interface AnswerBoxProps {
  target: Target;
  /** Whether an agent reads the answer; otherwise a shell does. */
  isAgent: boolean;
  /** Whether the terminal has stopped needing an answer while the person typed it; Enter then sends nothing. */
  isOver: boolean;
  onSent: (isAnswered: boolean) => void;
}

function hintOf(text: string, { isAgent, isOver }: AnswerBoxProps): string {
  if (isOver) return 'It no longer needs you. Enter sends nothing; the text is kept for the next time.';
  if (text === '') return '';
  if (!isAgent) return 'Enter runs it in the shell. Shift+Enter: new line.';
  if (sendingOf(text, isAgent).as === 'key') return `Enter sends the key ${text} alone.`;
  return 'Enter pastes the text and presses Enter; in an open menu that takes the selected entry.';
}

/** The box in which an answer is typed. It grows with the text, and keeps it when the card goes. */
export function AnswerBox(props: AnswerBoxProps) {
  const { target, isAgent, isOver, onSent } = props;
  const { terminalId, name } = target;
  const [text, setText] = useState(() => draftOf(terminalId));
  const [isSending, setSending] = useState(false);
  const ref = useRef<HTMLTextAreaElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows from the text
  useLayoutEffect(() => {
    const area = ref.current;
    if (!area) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight + 2}px`;
  }, [text]);

  const change = (value: string) => {
    setText(value);
    keepDraft(terminalId, value);
  };
  const send = async () => {
    if (text.trim() === '' || isSending) return;
    if (isOver) {
      say(`${name} no longer needs you: nothing was sent`, true);
      return;
    }
    setSending(true);
    const sending = sendingOf(text, isAgent);
    const isSent = await sendText(target, text, sending);
    setSending(false);
    if (!isSent) return;
    change('');
    onSent(sending.isAnswer);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void send();
    } else if (event.key === 'Escape') {
      event.currentTarget.closest<HTMLElement>('[data-need]')?.focus();
    }
  };
  const hint = hintOf(text, props);
  return (
    <div className="answer">
      <textarea
        ref={ref}
        rows={1}
        value={text}
        readOnly={isSending}
        aria-label={isAgent ? `Answer to ${name}` : `Command for ${name}`}
        placeholder={isAgent ? 'answer' : 'command'}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        onChange={({ target: { value } }) => change(value)}
        onKeyDown={onKeyDown}
      />
      <button type="button" disabled={text.trim() === '' || isOver || isSending} onClick={() => void send()}>
        Send
      </button>
      {hint !== '' && <p className={isOver ? 'hint hint-over' : 'hint'}>{hint}</p>}
    </div>
  );
}
