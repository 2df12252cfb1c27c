import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AgentExplanation } from '../../../src/client/browser.js';
import { service, wordsOf } from '../service.js';

const SOURCES = {
  settings: 'a rule of your settings',
  agent: 'a built-in rule for this agent',
  any: 'a built-in rule for any agent',
} as const;

function placeOf({ where, rows }: NonNullable<AgentExplanation['rule']>): string {
  if (where === 'title') return 'in the title';
  return where === 'bottom' ? `in the last ${rows} rows` : `in the ${rows} rows down to the cursor`;
}

function Explanation({ agentStatus, agentStatusReason, rule, row, line }: AgentExplanation) {
  if (agentStatus !== 'waiting') return <p>By now it no longer waits.</p>;
  if (!rule) return <p>No rule holds; its output decides: {agentStatusReason}.</p>;
  return (
    <dl>
      <div>
        <dt>Rule</dt>
        <dd>
          {SOURCES[rule.source]}: <code>{rule.text}</code> {placeOf(rule)} means {rule.reason}
        </dd>
      </div>
      {line !== null && (
        <div>
          <dt>{row === null ? 'Title' : `Row ${row + 1}`}</dt>
          <dd>
            <code>{line}</code>
          </dd>
        </div>
      )}
    </dl>
  );
}

/** The rule by which an agent counts as waiting. It is loaded only when a person opens it. */
export function Why({ needKey, terminalId }: { needKey: string; terminalId: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['agent-explain', needKey],
    queryFn: ({ signal }) => service.terminals.get(terminalId).explainAgent({ signal }),
    enabled: isOpen,
  });
  return (
    <details className="why" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>why?</summary>
      {data ? <Explanation {...data} /> : <p>{error ? wordsOf(error) : '…'}</p>}
    </details>
  );
}
