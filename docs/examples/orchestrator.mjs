/*
 * An orchestrator of 60 terminals, ten of which hold a coding agent that asks before it acts.
 *
 *   auto-terminal serve                      # in another terminal, if no service runs yet
 *   node docs/examples/orchestrator.mjs "claude 'Run the tests and mend what fails'"
 *
 * The argument is the command line of an agent with its task. While it runs, `auto-terminal ls` lists the terminals and
 * `auto-terminal attach 'agent 3'` shows an agent. Ctrl+C closes them all.
 *
 * In a project of your own, install the package first, so that `auto-terminal/client` is found.
 * orchestrator.py does the same over plain HTTP.
 */
import { AutoTerminal } from 'auto-terminal/client';

const TERMINALS = 60;
const AGENTS = 10;

const [agentLine] = process.argv.slice(2);
if (agentLine === undefined) {
  console.error('usage: node orchestrator.mjs <command line of an agent with its task>');
  process.exit(2);
}

// The service of this user is found without any options. Nothing is sent before the first call.
const service = AutoTerminal.connect();

// Labels group terminals. A value of its own keeps this run apart from whatever else the service holds.
const job = `orchestrator-${process.pid}`;

// Every call takes a signal. Ctrl+C ends the call that waits at that moment, and `finally` cleans up.
const interrupt = new AbortController();
const { signal } = interrupt;
process.once('SIGINT', () => interrupt.abort());

try {
  await createTerminals();
  await runInAll('uname -sr');
  await startAgents(agentLine);
  await lookAfterAgents();
} catch (error) {
  if (!signal.aborted) throw error;
  process.exitCode = 130;
} finally {
  await closeAll();
  service.close();
}

/** One request creates all terminals, each with the default shell. Ctrl+C must not end it: all that it creates is closed. */
async function createTerminals() {
  const plans = Array.from({ length: TERMINALS }, (_, index) =>
    index < AGENTS
      ? { name: `agent ${index + 1}`, labels: { job, role: 'agent' } }
      : { name: `worker ${index + 1}`, labels: { job, role: 'worker' } },
  );
  const { summary } = await service.terminals.createMany(plans);
  console.log(`${summary.succeeded} of ${summary.total} terminals created`);
}

/**
 * One request runs a command in all terminals with a label, and answers when all have ended. A terminal in which the
 * command could not be run has `success: false` and an `error`; one that took too long has `done: false`.
 *
 * @param {string} command
 */
async function runInAll(command) {
  const { results } = await service.select(`job=${job}`).run(command, { timeoutMs: 120_000, signal });
  const right = results.filter(({ exitCode }) => exitCode === 0);
  console.log(`${command}: ${right.length} of ${results.length} right, such as ${right[0]?.raw.trim()}`);
  for (const { terminalId, exitCode, error } of results)
    if (exitCode !== 0) console.log(`  ${terminalId}: ${error ?? `exit code ${exitCode}`}`);
}

/**
 * `exec` puts the agent in the place of the shell, so that the terminal ends when the agent does.
 *
 * @param {string} line
 */
async function startAgents(line) {
  const agents = service.select(`job=${job},role=agent`);
  const { summary } = await agents.prompt(`exec ${line}`, { cliType: 'default', signal });
  console.log(`${summary.succeeded} agents started`);
}

/**
 * The loop of an orchestrator: one request waits for whichever agent needs something next. It also tells what holds
 * already, so nothing is missed between two requests; `seen` leaves out what was dealt with.
 */
async function lookAfterAgents() {
  /** @type {Map<string, string>} The last occurrence of each terminal that was dealt with. */
  const seen = new Map();
  /** @type {Map<string, string>} The question of each terminal that was answered and may still be on its screen. */
  const answers = new Map();
  const busy = new Set(
    (await service.terminals.list({ selector: `job=${job},role=agent` })).map(({ id }) => id),
  );
  let answered = 0;
  while (busy.size > 0) {
    const { results } = await service.select([...busy]).wait({
      until: ['waiting', 'working', 'idle', 'exited'],
      seen: [...seen.values()],
      signal,
    });
    // Nothing within the minute that a wait takes by default: the results are empty, and the next request follows.
    for (const { terminalId, name, event, id, question } of results) {
      if (id !== undefined) seen.set(terminalId, id);
      const agent = service.terminals.get(terminalId);
      if (event === 'waiting') {
        // A busy agent takes a while to redraw its screen. The question that was answered is not answered again.
        const text = question ?? '';
        if (answers.get(terminalId) === text) continue;
        answers.set(terminalId, text);
        const keys = answerTo(text);
        console.log(`${name} asks:\n${text.replace(/^/gm, '  | ')}\n  answered by ${keys}`);
        await agent.keys(keys, { signal });
        answered++;
      } else if (event === 'working') {
        answers.delete(terminalId);
      } else if (event !== 'idle' || (await isAtRest(agent))) {
        // It has done its task, it has exited, or its terminal is gone.
        console.log(`${name ?? terminalId} is done (${event ?? 'gone'})`);
        busy.delete(terminalId);
      }
    }
  }
  console.log(`all ${AGENTS} agents are done, ${answered} questions answered`);
}

/**
 * Returns whether the agent shows that it is ready for its next task. A program that has printed nothing for a while
 * counts as idle, too, such as an agent that is still starting; then no rule about its screen has decided.
 *
 * @param {import('auto-terminal/client').Terminal} agent
 */
async function isAtRest(agent) {
  const { agentStatus, rule } = await agent.explainAgent({ signal });
  return agentStatus === 'idle' && rule !== null;
}

/**
 * Your rules go here, or a model, or a person. Enter takes the choice that the agent proposes, Escape refuses.
 *
 * @param {string} question - the part of the agent's screen that asks
 */
function answerTo(question) {
  return /rm -rf|--force/.test(question) ? ['escape'] : ['enter'];
}

/** Closes what this run has created, exited terminals too, and nothing else. */
async function closeAll() {
  const terminals = await service.terminals.list({ selector: `job=${job}`, status: 'all' });
  await Promise.all(terminals.map(({ id }) => service.terminals.get(id).close()));
  console.log(`${terminals.length} terminals closed`);
}
