import { ansiToHtml, endOfHtml, escapeHtml } from './ansi-html.js';
import { type Renderer, titleOf } from './renderer.js';

const STYLE = `
:root { color-scheme: dark; }
body { margin: 0; background: #0d1117; color: #d7dce2; font: 14px/1.4 system-ui, sans-serif; }
header { padding: 16px 24px; background: #161b22; border-bottom: 1px solid #30363d; }
h1 { margin: 0 0 8px; font-size: 18px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0; }
dt { color: #8b949e; }
dd { margin: 0; }
pre { margin: 0; padding: 16px 24px; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 13px/1.35 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
`;

/** The page runs nothing and loads nothing, whatever the recorded program has printed. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** A self-contained page: a description of the recording, then its output as coloured text. */
export const renderHtml: Renderer = {
  begin: (facts, { ansi }) => {
    ansi.cols = facts.metadata.initial_size.cols;
    const title = escapeHtml(titleOf(facts));
    const { initial_size: size, shell_type: shell } = facts.metadata;
    const rows: Array<[string, string]> = [
      ['Recording', facts.id],
      ['Terminal', facts.terminal_id],
      ['Shell', shell ?? ''],
      ['Size', `${size.cols}x${size.rows}`],
      ['Start', facts.start_time],
      ['End', facts.end_time ?? ''],
      ['Events', String(facts.event_count)],
    ];
    const list = rows.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('\n');
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<dl>
${list}
</dl>
</header>
<pre>
`;
  },
  render: (events, { ansi }) => {
    const html = events.map(({ event_type, data }) => {
      if (event_type === 'resize') ansi.cols = Number.parseInt(data, 10);
      return event_type === 'output' ? ansiToHtml(data, ansi) : '';
    });
    return html.join('');
  },
  end: ({ ansi }) => `${endOfHtml(ansi)}</pre>\n</body>\n</html>\n`,
};
