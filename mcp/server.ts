import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { Logger } from 'pino';
import type { Verb } from '../src/contract/access.js';
import { APP_NAME, MCP_NAME, VERSION } from '../src/contract/version.js';
import type { CallersToken } from './callers-token.js';
import { explain } from './errors.js';
import { type Call, followProgress } from './progress.js';
import { TOOLS } from './tools/all.js';

export interface ServerOptions {
  /** The service as each caller may use it. */
  tokens: CallersToken;
  /** Returns the URL at which the service should answer. */
  apiUrl: () => string;
  /** Returns the id of the terminal that a caller runs in. */
  callerOf: (call: Call) => string | undefined;
  logger: Logger;
}

const INSTRUCTIONS = `Real terminals on this machine, which stay alive between your calls. list_terminals finds them; create_terminal \
makes a new terminal. To run a command and get its exit code and output in one call, use execute_command with wait: true. Without \
wait it returns at once, and get_terminal_output reads what was printed (pass its cursor as since to read only what is new). \
get_terminal_screen shows a full-screen program as it looks now. If you run inside such a terminal yourself, "me" stands for its id.`;

const TOOLS_BY_NAME = new Map(TOOLS.map((tool) => [tool.listing.name, tool]));

/** Returns the tools that a caller with these verbs can use; undefined verbs allow everything. */
function listed(verbs: readonly Verb[] | undefined) {
  const usable = TOOLS.filter((tool) => !verbs || tool.verbs.some((verb) => verbs.includes(verb)));
  return { tools: usable.map(({ listing }) => listing) };
}

/** Shared by all servers: the SDK would make a validator for each, at hundreds of kilobytes. */
const VALIDATOR = new AjvJsonSchemaValidator();

/** Returns an MCP server for one HTTP request, or for the client on stdio. */
export function createServer({ tokens, apiUrl, callerOf, logger }: ServerOptions): Server {
  const server = new Server(
    { name: MCP_NAME, title: APP_NAME, version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: VALIDATOR },
  );
  server.onerror = (err) => logger.debug({ err }, 'an MCP client or its connection failed');
  server.setRequestHandler(ListToolsRequestSchema, async (_request, call) => {
    try {
      return listed(await tokens.verbsOf(call.requestInfo?.headers));
    } catch (err) {
      // The service checks each call anyway.
      logger.debug({ err }, 'the service did not say what a caller may do');
      return listed(undefined);
    }
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, call): Promise<CallToolResult> => {
    const tool = TOOLS_BY_NAME.get(params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    const { service, release } = tokens.serviceFor(call.requestInfo?.headers);
    const stop = followProgress(call, logger);
    try {
      return await tool.call(params.arguments, { service, signal: call.signal, caller: callerOf(call) });
    } catch (error) {
      // Nobody reads the answer to a cancelled call.
      call.signal.throwIfAborted();
      const text = explain(error, apiUrl()) ?? ownFault(error, params.name, logger);
      return { isError: true, content: [{ type: 'text', text }] };
    } finally {
      stop();
      release();
    }
  });
  return server;
}

function ownFault(error: unknown, tool: string, logger: Logger): string {
  logger.error({ err: error, tool }, 'a tool failed');
  return `The tool server failed; its log gives the cause. You may repeat the call.`;
}
