import type { ComponentType } from 'react';
import { Link, useParams } from 'wouter';
import { LimitsPart } from '../admission/limits-part.js';
import { AuditPart } from '../audit/audit-part.js';
import '../style/guardrails.css';
import { TokensPart } from '../tokens/tokens-part.js';
import { WatchesPart } from '../watches/watches-part.js';
import { WebhooksPart } from '../watches/webhooks-part.js';

interface Part {
  id: string;
  name: string;
  component: ComponentType;
}

const PARTS: readonly Part[] = [
  { id: 'audit', name: 'Audit', component: AuditPart },
  { id: 'tokens', name: 'Tokens', component: TokensPart },
  { id: 'watches', name: 'Watches', component: WatchesPart },
  { id: 'webhooks', name: 'Webhooks', component: WebhooksPart },
  { id: 'limits', name: 'Limits', component: LimitsPart },
];

/** The guardrails between programs and people: the audit log, tokens, limits, watches and webhooks. */
export default function GuardrailsPage() {
  const { part } = useParams<{ part?: string }>();
  const shown = PARTS.find(({ id }) => id === part) ?? PARTS[0]!;
  return (
    <main className="guardrails">
      <header className="bar">
        <h1>Guardrails</h1>
        <nav className="parts" aria-label="Guardrails">
          {PARTS.map(({ id, name }) => (
            <Link key={id} href={`/guardrails/${id}`} aria-current={id === shown.id ? 'page' : undefined}>
              {name}
            </Link>
          ))}
        </nav>
      </header>
      <shown.component />
    </main>
  );
}
