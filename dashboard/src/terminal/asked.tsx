import type { AttachedClient, TerminalSize } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';
import { AskDialog } from '../parts/ask-dialog.js';
import { openLink } from './open-link.js';
import type { ClipboardRule } from './osc52.js';
import type { Paste } from './paste.js';
import type { OpenedLink } from './xterm-screen.js';

/** Question that waits for a person's answer. */
export type Question =
  | { kind: 'paste'; paste: Paste; type: () => void }
  | { kind: 'link'; link: OpenedLink }
  | { kind: 'clipboard'; text: string }
  | { kind: 'size'; size: TerminalSize; others: readonly AttachedClient[] }
  | { kind: 'close' };

interface AskedProps {
  question: Question;
  name: string;
  isEnded: boolean;
  onClipboard: (text: string | undefined, rule: ClipboardRule) => void;
  onSize: (size: TerminalSize) => void;
  onCloseTerminal: () => void;
  onClose: () => void;
}

function wordsOfClient({ name, cols, rows, isLeader, readOnly }: AttachedClient): string {
  const role = readOnly ? ', only watches' : isLeader ? ', has decided the size' : '';
  return `${plainLabel(name) || 'a client without a name'} (${cols}×${rows}${role})`;
}

/** The dialog of a question about the terminal. */
export function Asked({ question, name, isEnded, onClose, ...on }: AskedProps) {
  switch (question.kind) {
    case 'paste': {
      const { paste } = question;
      const lines = `${paste.lines.toLocaleString()} ${paste.lines === 1 ? 'line' : 'lines'}`;
      return (
        <AskDialog title={`Paste ${lines}?`} onClose={onClose} choices={[[`Paste ${lines}`, question.type]]}>
          <p>
            {paste.question === 'lines'
              ? 'The program takes each line as if you had pressed Enter after it.'
              : `These are ${paste.text.length.toLocaleString()} characters.`}
          </p>
          <pre>{paste.text.slice(0, 4_000)}</pre>
        </AskDialog>
      );
    }
    case 'link': {
      const { target } = question.link;
      return (
        <AskDialog title="Open this link?" onClose={onClose} choices={[['Open', () => openLink(target)]]}>
          <p>Its text names another host than the one it leads to:</p>
          <pre>{target.href}</pre>
        </AskDialog>
      );
    }
    case 'clipboard':
      return (
        <AskDialog
          title="May the program put this on your clipboard?"
          onClose={onClose}
          choices={[
            ['Always for this terminal', () => on.onClipboard(question.text, 'session')],
            ['This once', () => on.onClipboard(question.text, 'ask')],
            ['Never for this terminal', () => on.onClipboard(undefined, 'block')],
          ]}
        >
          <pre>{question.text.slice(0, 4_000)}</pre>
        </AskDialog>
      );
    case 'size': {
      const { cols, rows } = question.size;
      return (
        <AskDialog
          title={`Give it ${cols}×${rows}?`}
          onClose={onClose}
          choices={[[`Resize to ${cols}×${rows}`, () => on.onSize(question.size)]]}
        >
          <p>Others are attached, and will see it in this size, too:</p>
          <ul>
            {question.others.map((client) => (
              <li key={client.clientId}>{wordsOfClient(client)}</li>
            ))}
          </ul>
        </AskDialog>
      );
    }
    case 'close':
      return (
        <AskDialog
          title={isEnded ? `Remove ${name}?` : `Close ${name}?`}
          onClose={onClose}
          choices={[[isEnded ? 'Remove' : 'Close the terminal', on.onCloseTerminal]]}
        >
          <p>{isEnded ? 'What it has printed is gone then.' : 'Its programs are ended.'}</p>
        </AskDialog>
      );
  }
}
