import { describe, expect, test } from 'vitest';
import { type AgentSettings, agentTable } from '#dist/actors/processes/agents.js';
import { agentOf, launchedAgentOf } from '#dist/actors/processes/recognize.js';

const GLOBAL = '/usr/lib/node_modules';

/** Returns the agent label of a process with this command line, named as the kernel would name the process. */
function labelOf(argv: string[], exe: string | null = null, settings: AgentSettings = {}) {
  const name = (exe ?? argv[0] ?? '').split(/[/\\]/).at(-1)!.slice(0, 15);
  return agentOf({ name, argv, exe }, agentTable(settings));
}

describe('native agents are known by the name of their executable', () => {
  test.each([
    ['claude', ['claude'], '/root/.local/share/claude/versions/2.1.40'],
    ['claude', ['claude', '--resume'], `${GLOBAL}/@anthropic-ai/claude-code/bin/claude.exe`],
    ['codex', ['/usr/bin/codex'], '/usr/bin/codex'],
    ['opencode', ['opencode'], '/root/.opencode/bin/opencode'],
    ['goose', ['goose', 'session'], '/usr/local/bin/goose'],
    ['crush', ['crush'], null],
    ['cursor', ['cursor-agent'], '/root/.local/share/cursor-agent/versions/1/node'],
    ['kiro', ['kiro-cli', 'chat'], '/usr/bin/kiro-cli'],
    ['q', ['q', 'chat'], '/usr/bin/q'],
    ['droid', ['C:\\Users\\me\\bin\\droid.exe'], 'C:\\Users\\me\\bin\\droid.exe'],
    ['plandex', ['pdx'], '/usr/local/bin/plandex'],
  ])('%s', (label, argv, exe) => {
    expect(labelOf(argv, exe)).toBe(label);
  });

  test('by a title that hides the command line', () => {
    const node = { argv: ['claude'], exe: '/usr/bin/node' };
    expect(agentOf({ name: 'claude', ...node }, agentTable({}))).toBe('claude');
    const withWords = { argv: ['gemini - work'], exe: '/usr/bin/node' };
    expect(agentOf({ name: 'gemini - work', ...withWords }, agentTable({}))).toBe('gemini');
  });

  test('by a name that was cut, and under a first thread with a name of its own', () => {
    const agents = agentTable({ long: { commands: ['a-very-long-agent-name'] } });
    const long = { name: 'a-very-long-age', argv: ['/opt/a-very-long-agent-name'], exe: null };
    expect(agentOf(long, agents)).toBe('long');
    const thread = { name: 'node-MainThread', argv: ['amp'], exe: '/opt/bin/bundle' };
    expect(agentOf(thread, agents)).toBe('amp');
  });
});

describe('agents under an interpreter are known by the script', () => {
  test.each([
    ['claude', ['node', `${GLOBAL}/@anthropic-ai/claude-code/cli.js`]],
    ['claude', ['node', '--max-old-space-size=8192', '--require', './x.js', '/usr/local/bin/claude', '-p']],
    ['codex', ['/usr/bin/node', '/root/.nvm/versions/node/v22/lib/node_modules/@openai/codex/bin/codex.js']],
    [
      'codex',
      ['C:\\Program Files\\nodejs\\node.exe', 'C:\\npm\\node_modules\\@openai\\codex\\bin\\codex.js'],
    ],
    ['gemini', ['node', '--no-warnings=DEP0040', '/usr/bin/gemini']],
    ['copilot', ['node', `${GLOBAL}/@github/copilot/npm-loader.js`]],
    ['qwen', ['bun', 'run', `${GLOBAL}/@qwen-code/qwen-code/cli-entry.js`]],
    ['continue', ['node', `${GLOBAL}/@continuedev/cli/dist/cn.js`]],
    ['cursor', ['node', '/root/.local/share/cursor-agent/versions/2026.01.01/index.js']],
    ['gemini', ['deno', 'run', '-A', 'npm:@google/gemini-cli@latest']],
    ['aider', ['python', '-m', 'aider']],
    ['aider', ['python3.12', '-um', 'aider.main', '--model', 'x']],
    ['aider', ['python', '/home/x/.local/bin/aider']],
    ['aider', ['/opt/uv/bin/python3', '-X', 'dev', '-W', 'ignore', '/home/x/.local/bin/aider']],
    ['aider', ['python3', '/usr/lib/python3/dist-packages/aider/__main__.py']],
    ['openhands', ['python3', '/root/.local/bin/openhands', 'serve']],
  ])('%s: %j', (label, argv) => {
    expect(labelOf(argv, argv[0]!)).toBe(label);
  });

  test.each([
    [['vim', 'claude.md']],
    [['vim', 'claude']],
    [['node', 'server.js', '--name', 'claude']],
    [['node', '-e', 'code', 'claude']],
    [['node', '--require', '/usr/bin/claude', 'server.js']],
    [['node', '/home/me/claude.js']],
    [['node', '/home/me/projects/opencode/server.js']],
    [['node', '/home/me/aider/dist/main.js']],
    [['node', '/srv/node_modules/not-cline/cline.js']],
    [['python3', '-c', 'import aider', 'aider']],
    [['python3', '-m', 'http.server', 'aider']],
    [['python3', '/home/me/aider.py']],
    [['grep', '-r', 'codex', '.']],
    [['bash', '-c', 'echo claude']],
    [['less', '/usr/bin/codex']],
    [['tail', '-f', `${GLOBAL}/@openai/codex/log`]],
    [['node']],
    [['node', '--']],
    [['npm run claude']],
    [['-bash']],
    [[]],
  ])('none: %j', (argv) => {
    expect(labelOf(argv, argv[0] ?? null)).toBeNull();
  });
});

describe('launchers are known by the package that they run', () => {
  const launched = (argv: string[], exe: string | null = null) =>
    launchedAgentOf({ name: argv[0]!.slice(0, 15), argv, exe }, agentTable({}));

  test.each([
    ['codex', ['npm exec @openai/codex@latest'], '/usr/bin/node'],
    ['codex', ['node', `${GLOBAL}/npm/bin/npx-cli.js`, '-y', '@openai/codex'], '/usr/bin/node'],
    ['gemini', ['npm', 'x', '--package=@google/gemini-cli', 'whatever'], null],
    ['aider', ['uvx', '--python', '3.12', 'aider-chat[help]==0.8'], '/usr/bin/uvx'],
    ['aider', ['uv', 'tool', 'run', '--from', 'aider-chat', 'x'], null],
    ['opencode', ['bunx', 'opencode-ai'], '/usr/bin/bun'],
    ['cline', ['pnpm', 'dlx', 'cline'], null],
  ])('%s: %j', (label, argv, exe) => {
    expect(launched(argv, exe)).toBe(label);
  });

  test.each([
    [['npm run dev']],
    [['npx', 'vite', 'codex']],
    [['npm', 'install', 'cline']],
    [['uv', 'run', 'x.py', 'q']],
  ])('none: %j', (argv) => {
    expect(launched(argv)).toBeNull();
  });
});

describe('the configuration', () => {
  test('adds agents, whose labels are lower case', () => {
    const settings = { Mine: { commands: ['My-Agent'], scripts: ['tools/mine.py', '@me/mine'] } };
    expect(labelOf(['my-agent'], '/opt/my-agent', settings)).toBe('mine');
    expect(labelOf(['python3', '/srv/tools/mine.py'], null, settings)).toBe('mine');
    expect(labelOf(['node', '/srv/node_modules/@me/mine/x.js'], null, settings)).toBe('mine');
    expect(labelOf(['python3', '/srv/other/mine.py'], null, settings)).toBeNull();
    expect(labelOf(['claude'], null, settings)).toBe('claude');
  });

  test('replaces one list of a built-in agent and keeps its other list', () => {
    const settings = { claude: { commands: ['cl'] } };
    expect(labelOf(['cl'], null, settings)).toBe('claude');
    expect(labelOf(['claude'], null, settings)).toBeNull();
    expect(labelOf(['node', `${GLOBAL}/@anthropic-ai/claude-code/cli.js`], null, settings)).toBe('claude');
  });

  test('turns an agent off, and reassigns a name', () => {
    expect(labelOf(['q'], null, { q: { commands: [] } })).toBeNull();
    expect(labelOf(['goose'], null, { geese: { commands: ['goose'] } })).toBe('geese');
    expect(labelOf(['python', '-m', 'aider'], null, { fork: { scripts: ['aider'] } })).toBe('fork');
  });
});
