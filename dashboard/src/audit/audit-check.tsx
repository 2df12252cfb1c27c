import { useState } from 'react';
import type { AuditCheck as Check } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';

function wordsOfCheck({ isWhole, first, last, fault }: Check): string {
  if (isWhole) return first === 0 ? 'There is no line to check.' : `Whole: lines ${first} to ${last}.`;
  const where = fault && ` In ${plainLabel(fault.file)}, line ${fault.row}: ${plainLabel(fault.why)}.`;
  return `Not whole after line ${last}: something was changed, added or taken away.${where ?? ''}`;
}

/** Checks that no line was changed, added or taken away. */
export function AuditCheck() {
  const [check, setCheck] = useState<Check>();
  const [isChecking, setChecking] = useState(false);
  const run = async () => {
    // A disabled button would lose the focus.
    if (isChecking) return;
    setChecking(true);
    await attempt('The log could not be checked', service.audit.verify().then(setCheck));
    setChecking(false);
  };
  return (
    <span className="audit-check">
      <button
        type="button"
        title="Whether each line follows from the one before. That lines were removed from the end cannot be seen"
        onClick={() => void run()}
      >
        {isChecking ? 'Checking' : 'Check the chain'}
      </button>
      <span role="status" className={check && !check.isWhole ? 'exit-bad' : undefined}>
        {check && wordsOfCheck(check)}
      </span>
    </span>
  );
}
