import type {
  CallToolResult,
  ImageContent,
  Tool as ListedTool,
  TextContent,
  ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { describeIssues } from '../src/contract/describe-issues.js';
import { MAX_TOOL_ARGUMENTS } from '../src/contract/limits.js';
import { ToolError } from './errors.js';
import type { Rest } from './rest-client.js';
import { schemaOf } from './schema.js';

/** What a tool works with during one call. */
export interface ToolContext {
  /** The REST API; its requests end when the call is cancelled. */
  rest: Rest;
  /** The terminal that the caller runs in, where it told. */
  caller: string | undefined;
}

/** What a tool answers. */
export interface ToolAnswer<Output> {
  /** For programs. Clients that see it may drop everything else, images included: then leave it out. */
  structured?: Output;
  /** The same for a reader, complete. */
  text: string;
  images?: ImageContent[];
}

/** A tool as its file defines it. */
export interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  /** For a model that has never seen this service: when to use it, what comes back, what to call next. */
  description: string;
  annotations: ToolAnnotations;
  /** Strict, so that a misspelt argument is told of. */
  input: Input;
  output: Output;
  /** Not listed where an answer may come without `structured`: clients hold each against it. */
  isOutputListed?: boolean;
  /** Throws {@link ToolError}, and what the REST client throws. */
  run(args: z.output<Input>, context: ToolContext): Promise<ToolAnswer<z.input<Output>>>;
}

/** A tool as the server lists and calls it. */
export interface Tool {
  listing: ListedTool;
  /** Throws as {@link ToolDefinition.run}, and ToolError on wrong arguments. */
  call(args: unknown, context: ToolContext): Promise<CallToolResult>;
}

/** Makes a tool of its definition: its schemas are converted once, for all clients. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, title, description, annotations, input, output, isOutputListed = true } = definition;
  const listing: ListedTool = {
    ...{ name, title, description, annotations },
    inputSchema: schemaOf(input, 'input') as ListedTool['inputSchema'],
    ...(isOutputListed && { outputSchema: schemaOf(output, 'output') as ListedTool['outputSchema'] }),
  };
  return {
    listing,
    call: async (args, context) => {
      if (countOf(args) > MAX_TOOL_ARGUMENTS) throw new ToolError('Wrong arguments: there are too many.');
      const parsed = input.safeParse(given(args));
      if (!parsed.success) throw new ToolError(`Wrong arguments: ${describeIssues(parsed.error, name)}`);
      const { structured, text, images = [] } = await definition.run(parsed.data, context);
      return {
        content: [...blocksOf(structured, text), ...images],
        ...(structured !== undefined && { structuredContent: structured as Record<string, unknown> }),
      };
    },
  };
}

/**
 * The first is the object itself: clients of older revisions have nothing else to parse. What is for readers comes
 * after it, and says whom it is for, so that no model need read both.
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

/** Some clients have their model name every argument, null where it means none. */
function given(args: unknown): unknown {
  if (typeof args !== 'object' || args === null) return args ?? {};
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}
