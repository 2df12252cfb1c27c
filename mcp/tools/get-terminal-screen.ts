import { z } from 'zod';
import { FleetScreen, FleetTarget } from '../../src/contract/fleet.js';
import { MAX_TOOL_IMAGE_BYTES } from '../../src/contract/limits.js';
import { Capture } from '../../src/contract/terminal.js';
import { ToolError } from '../errors.js';
import { answered } from '../service.js';
import { defineTool } from '../tool.js';
import { TerminalId, terminalFor } from './terminal-id.js';

const input = z.strictObject({
  terminalId: TerminalId,
  machineId: FleetTarget.shape.machineId.describe(
    'Machine that has the terminal; default: the local machine, or whichever machine has it',
  ),
  format: z
    .enum(['text', 'ansi', 'png'])
    .default('text')
    .describe('text (default); ansi: text with its colours as escape sequences; png: an image'),
});

const TOO_LARGE =
  'The picture is larger than models accept, since nearly every cell has its own colour: use format ' +
  '"text" or "ansi".';

export const getTerminalScreen = defineTool({
  name: 'get_terminal_screen',
  title: 'See the screen of a terminal',
  description:
    'Shows the screen of a terminal as it is now, row by row, without the scrollback. Use it for ' +
    'full-screen programs (editors, top, coding agents), and to see what a program that does not continue ' +
    'is asking. Returns machineId, terminalId, title, running and `screen`; with format "png", an image ' +
    'instead, for when colours or layout matter; with "ansi", colours as escape sequences. For lines that have scrolled away use get_terminal_output; ' +
    'to answer the program use execute_command with useBracketedPaste false.',
  verbs: ['read'],
  annotations: { readOnlyHint: true, openWorldHint: false },
  input,
  output: FleetScreen,
  // Clients that get an object show their model only the object, so the model would never see the image.
  isOutputListed: false,
  run: async ({ terminalId, machineId, format }, context) => {
    const { id } = terminalFor(terminalId, context);
    const { service, signal } = context;
    const shown = await answered(FleetScreen, service.fleet.screen(id, { machineId, signal }));
    const terminal = service.machine(shown.machineId).terminals.get(id);
    const told = `${id} ${JSON.stringify(shown.title)} on ${shown.machineId}, ${shown.running ? 'running' : 'exited'}`;
    if (format === 'png') {
      const image = await terminal.screenshot({ signal });
      if (image.length > MAX_TOOL_IMAGE_BYTES) throw new ToolError(TOO_LARGE);
      const png = {
        type: 'image' as const,
        data: Buffer.from(image.buffer, image.byteOffset, image.length).toString('base64'),
        mimeType: 'image/png',
      };
      return { text: `[the screen of ${told}, as an image]`, images: [png] };
    }
    const screen =
      format === 'ansi' ? (await answered(Capture, terminal.capture({ signal }))).content : shown.screen;
    return { structured: { ...shown, screen }, text: `${screen}\n[the screen of ${told}]` };
  },
});
