// The limit of what a terminal can be read at: node-pty in a process of its own, every byte counted and dropped.
// argv: program and arguments. Prints {bytes, seconds, cpu} as JSON; `cpu` is in seconds, of the reading alone.
import { spawn } from 'node-pty';

const [file = 'true', ...args] = process.argv.slice(2);
const expected = Number(process.env.EXPECTED_BYTES);
const begin = performance.now();
const usage = process.cpuUsage();
let bytes = 0;

const terminal = spawn(file, args, { cols: 80, rows: 24, encoding: null });
terminal.onData((data) => {
  // Typed as a string, which it is not with encoding null.
  bytes += (data as unknown as Buffer).length;
  if (bytes >= expected) finish();
});
// node-pty may lose the last output, so that the bytes never come to what is expected.
terminal.onExit(finish);

function finish(): void {
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(usage);
  process.stdout.write(`${JSON.stringify({ bytes, seconds, cpu: (user + system) / 1e6 })}\n`);
  process.exit(0);
}
