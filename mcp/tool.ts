import type {
  CallToolResult,
  ImageContent,
  Tool as ListedTool,
  TextContent,
  ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { AutoTerminal } from '../src/client/index.js';
import type { Verb } from '../src/contract/access.js';
import { describeIssues } from '../src/contract/describe-issues.js';
import { MAX_TOOL_ARGUMENTS } from '../src/contract/limits.js';
import { ToolError } from './errors.js';
import { schemaOf } from './schema.js';
import { onBehalfOf } from './service.js';

/** Means that a tool has during one call. */
export interface ToolContext {
  service: AutoTerminal;
  /** Fires when the call is cancelled; every request to the service takes it. */
  signal: AbortSignal;
  /** Id of the terminal that the caller runs in, if the caller sent it. */
  caller: string | undefined;
}

/** The answer of a tool. */
export interface ToolAnswer<Output> {
  /** The answer for programs. Leave it out with images: clients that get it may drop everything else. */
  structured?: Output;
  /** The complete answer as text, for a reader. */
  text: string;
  images?: ImageContent[];
}

/** A tool as its file defines it. */
export interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  /** For a model that has never seen this service: when to use it, what comes back, what to call next. */
  description: string;
  /** In guarded mode, a token needs at least one of these verbs to use the tool. */
  verbs: readonly Verb[];
  annotations: ToolAnnotations;
  /** Schema of the arguments. Strict, so that a misspelt argument is an error. */
  input: Input;
  output: Output;
  /** False if an answer may lack `structured`: clients validate every answer against a listed schema. */
  isOutputListed?: boolean;
  /** Runs the tool. Rejects with {@link ToolError}, and with the errors of the client. */
  run(args: z.output<Input>, context: ToolContext): Promise<ToolAnswer<z.input<Output>>>;
}

/** A tool as the server lists and calls it. */
export interface Tool {
  listing: ListedTool;
  /** In guarded mode, a token needs at least one of these verbs. */
  verbs: readonly Verb[];
  /** Validates arguments and runs the tool. Rejects as {@link ToolDefinition.run}; wrong arguments are a ToolError. */
  call(args: unknown, context: ToolContext): Promise<CallToolResult>;
}

/** Makes a tool of its definition. Converts its schemas once, for all clients. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, title, description, annotations, verbs, input, output, isOutputListed = true } = definition;
  const listing: ListedTool = {
    ...{ name, title, description, annotations },
    inputSchema: schemaOf(input, 'input') as ListedTool['inputSchema'],
    ...(isOutputListed && { outputSchema: schemaOf(output, 'output') as ListedTool['outputSchema'] }),
  };
  return {
    listing,
    verbs,
    call: async (args, context) => {
      if (countOf(args) > MAX_TOOL_ARGUMENTS)
        throw new ToolError('Wrong arguments: there are too many arguments.');
      const parsed = input.safeParse(given(args));
      if (!parsed.success) throw new ToolError(`Wrong arguments: ${describeIssues(parsed.error, name)}`);
      const run = () => definition.run(parsed.data, context);
      const { structured, text, images = [] } = await onBehalfOf(context.caller, run);
      return {
        content: [...blocksOf(structured, text), ...images],
        ...(structured !== undefined && { structuredContent: structured as Record<string, unknown> }),
      };
    },
  };
}

/**
 * Returns the text blocks of an answer. The first is the object as JSON, since clients of older revisions have nothing
 * else to parse. The text for readers follows and is marked as for the user, so that no model needs to read both.
 */
function blocksOf(structured: unknown, text: string): TextContent[] {
  if (structured === undefined) return [{ type: 'text', text }];
  return [
    { type: 'text', text: JSON.stringify(structured) },
    { type: 'text', text, annotations: { audience: ['user'] } },
  ];
}

function countOf(args: unknown): number {
  return typeof args === 'object' && args !== null ? Object.keys(args).length : 0;
}

/** Drops arguments that are null: some clients make their model name every argument, with null for absent ones. */
function given(args: unknown): unknown {
  if (typeof args !== 'object' || args === null) return args ?? {};
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}
