"""An orchestrator of 60 terminals, ten of which hold a coding agent that asks before it acts.

    auto-terminal serve                      # in another terminal, if no service runs yet
    python3 docs/examples/orchestrator.py "claude 'Run the tests and mend what fails'"

The argument is the command line of an agent with its task. While it runs, `auto-terminal ls` lists the terminals and
`auto-terminal attach 'agent 3'` shows an agent. Ctrl+C closes them all.

It needs Python 3.8 or later and nothing else. The service is expected at http://127.0.0.1:42031; the environment
variable AUTO_TERMINAL_API_URL names another place. orchestrator.mjs does the same with the client for Node.
"""

import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor

TERMINALS = 60
AGENTS = 10

URL = os.environ.get("AUTO_TERMINAL_API_URL", "http://127.0.0.1:42031")
# Labels group terminals. A value of its own keeps this run apart from whatever else the service holds.
JOB = f"orchestrator-{os.getpid()}"

# The service is on this machine: requests go past any proxy that the environment names.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def call(method, path, body=None, timeout=90):
    """Send a request and return its JSON; a failure says what is wrong and, if known, what to do.

    Each call has one Idempotency-Key. After a broken connection the request is sent again with the same key, so that
    nothing is created or typed twice, even if the service has restarted meanwhile.
    """
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    data = None if body is None else json.dumps(body).encode()
    for tries_left in reversed(range(5)):
        request = urllib.request.Request(URL + path, data, headers, method=method)
        try:
            with opener.open(request, timeout=timeout) as answer:
                return json.loads(answer.read() or "null")
        except urllib.error.HTTPError as refusal:
            told = json.load(refusal)
            raise SystemExit(f"{method} {path}: {told['error']} ({told['code']}) {told.get('fix', '')}")
        except (urllib.error.URLError, ConnectionError):
            if tries_left == 0:
                raise SystemExit(f"No service answers at {URL}. Start it: auto-terminal serve")
            time.sleep(0.5)


def terminals(selector, status="running"):
    """Return the terminals with these labels."""
    query = urllib.parse.urlencode({"selector": selector, "status": status})
    return call("GET", f"/api/terminals?{query}")["terminals"]


def create_terminals():
    """One request creates all terminals, each with the default shell."""
    plans = [
        {"name": f"agent {n}", "labels": {"job": JOB, "role": "agent"}}
        if n <= AGENTS
        else {"name": f"worker {n}", "labels": {"job": JOB, "role": "worker"}}
        for n in range(1, TERMINALS + 1)
    ]
    summary = call("POST", "/api/terminals/batch/create", {"terminals": plans})["summary"]
    print(f"{summary['succeeded']} of {summary['total']} terminals created")


def run_in_all(command):
    """One request runs a command in all terminals with a label, and answers when all have ended.

    A terminal in which the command could not be run has `success: false` and an `error`; one that took too long has
    `done: false`. Such answers take long, so the client must wait longer than `timeoutMs`.
    """
    body = {"selector": f"job={JOB}", "command": command, "timeoutMs": 120_000}
    results = call("POST", "/api/terminals/batch/run", body, timeout=150)["results"]
    right = [result for result in results if result["exitCode"] == 0]
    sample = right[0]["raw"].strip() if right else "none"
    print(f"{command}: {len(right)} of {len(results)} right, such as {sample}")
    for result in results:
        if result["exitCode"] != 0:
            print(f"  {result['terminalId']}: {result.get('error') or 'exit code %s' % result['exitCode']}")


def start_agents(agent_line):
    """`exec` puts the agent in the place of the shell, so that the terminal ends when the agent does."""
    body = {"selector": f"job={JOB},role=agent", "prompt": f"exec {agent_line}", "cliType": "default"}
    summary = call("POST", "/api/terminals/batch/execute", body)["summary"]
    print(f"{summary['succeeded']} agents started")


def look_after_agents():
    """The loop of an orchestrator: one request waits for whichever agent needs something next.

    It also tells what holds already, so nothing is missed between two requests; `seen` leaves out what was dealt with.
    """
    seen = {}  # the last occurrence of each terminal that was dealt with
    answers = {}  # the question of each terminal that was answered and may still be on its screen
    busy = {terminal["id"] for terminal in terminals(f"job={JOB},role=agent")}
    answered = 0
    while busy:
        until = ["waiting", "working", "idle", "exited"]
        body = {"terminalIds": list(busy), "until": until, "seen": list(seen.values()), "timeoutMs": 60_000}
        # Nothing within the minute: the results are empty, and the next request follows.
        for result in call("POST", "/api/terminals/wait", body)["results"]:
            terminal_id, event = result["terminalId"], result["event"]
            if "id" in result:
                seen[terminal_id] = result["id"]
            if event == "waiting":
                question = result["question"] or ""
                # A busy agent takes a while to redraw its screen. The question that was answered is not answered again.
                if answers.get(terminal_id) == question:
                    continue
                answers[terminal_id] = question
                keys = answer_to(question)
                quoted = re.sub("^", "  | ", question, flags=re.MULTILINE)
                print(f"{result['name']} asks:\n{quoted}\n  answered by {','.join(keys)}")
                call("POST", f"/api/terminals/{terminal_id}/keys", {"keys": keys})
                answered += 1
            elif event == "working":
                answers.pop(terminal_id, None)
            elif event != "idle" or is_at_rest(terminal_id):
                # It has done its task, it has exited, or its terminal is gone.
                print(f"{result.get('name', terminal_id)} is done ({event or 'gone'})")
                busy.discard(terminal_id)
    print(f"all {AGENTS} agents are done, {answered} questions answered")


def is_at_rest(terminal_id):
    """Return whether the agent shows that it is ready for its next task.

    A program that has printed nothing for a while counts as idle, too, such as an agent that is still starting; then no
    rule about its screen has decided.
    """
    state = call("GET", f"/api/terminals/{terminal_id}/agent/explain")
    return state["agentStatus"] == "idle" and state["rule"] is not None


def answer_to(question):
    """Your rules go here, or a model, or a person: Enter takes the choice that the agent proposes, Escape refuses."""
    return ["escape"] if re.search("rm -rf|--force", question) else ["enter"]


def close_all():
    """Close what this run has created, exited terminals too, and nothing else."""
    own = terminals(f"job={JOB}", status="all")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda terminal: call("DELETE", f"/api/terminals/{terminal['id']}"), own))
    print(f"{len(own)} terminals closed")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python3 orchestrator.py <command line of an agent with its task>")
    # Into a pipe, too, each line goes at once.
    sys.stdout.reconfigure(line_buffering=True)
    try:
        create_terminals()
        run_in_all("uname -sr")
        start_agents(sys.argv[1])
        look_after_agents()
    finally:
        close_all()
