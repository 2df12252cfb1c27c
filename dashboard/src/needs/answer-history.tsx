import { Link } from 'wouter';
import { useAnswers } from './answers.js';

/** The answers that were given in this window. */
export function AnswerHistory() {
  const answers = useAnswers((state) => state.answers);
  if (answers.length === 0) return null;
  return (
    <section className="answers" aria-label="Answers of this window">
      <h2>Sent in this window</h2>
      <table>
        <thead>
          <tr>
            <th>Time</th>
            <th>Terminal</th>
            <th>Sent</th>
          </tr>
        </thead>
        <tbody>
          {answers.map(({ id, at, terminalId, name, sent }) => (
            <tr key={id}>
              <td>
                <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString()}</time>
              </td>
              <td>
                <Link href={`/t/${terminalId}`}>{name}</Link>
              </td>
              <td>
                <code>{sent}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
