// The upper limit of reading a terminal: node-pty in a process of its own, which only counts the bytes.
// argv: program and arguments. Prints {bytes, seconds, cpu} as JSON; `cpu` is the CPU seconds of this process alone.
import { spawn } from 'node-pty';

const [file = 'true', ...args] = process.argv.slice(2);
const expected = Number(process.env.EXPECTED_BYTES);
const begin = performance.now();
const usage = process.cpuUsage();
let bytes = 0;

const terminal = spawn(file, args, { cols: 80, rows: 24, encoding: null });
terminal.onData((data) => {
  // node-pty declares a string, but with encoding null it passes a Buffer.
  bytes += (data as unknown as Buffer).length;
  if (bytes >= expected) finish();
});
// node-pty may lose the last output, so that `bytes` never reaches `expected`.
terminal.onExit(finish);

function finish(): void {
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(usage);
  process.stdout.write(`${JSON.stringify({ bytes, seconds, cpu: (user + system) / 1e6 })}\n`);
  process.exit(0);
}
