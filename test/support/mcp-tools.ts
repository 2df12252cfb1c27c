import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, expect } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { explain } from '#mcp/errors.js';
import { connectService, type ServiceTarget } from '#mcp/service.js';
import type { Tool } from '#mcp/tool.js';
import { TOOLS } from '#mcp/tools/all.js';

/** A tool's answer: its structured content, and the text and image that the model gets beside it. */
interface ToolResult<Structured> {
  structured: Structured;
  text: string;
  image?: { data: string; mimeType: string };
}

type CallTool = <Structured = Record<string, unknown>>(
  name: string,
  args?: object,
  caller?: string,
) => Promise<ToolResult<Structured>>;

export function toolOf(name: string): Tool {
  const tool = TOOLS.find(({ listing }) => listing.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool;
}

/** Compiles a listed schema as strictly as a client may. */
export function compiled(schema: object): ValidateFunction {
  return new Ajv2020({ strict: true, allErrors: true }).compile(schema);
}

const validators = new Map<string, ValidateFunction>();

/** Throws if a client would refuse the answer: a tool with a listed schema must return a matching object. */
function checkAnswer({ listing }: Tool, structured: unknown): void {
  const { name, outputSchema } = listing;
  if (!outputSchema) return;
  const validate = validators.get(name) ?? compiled(outputSchema);
  validators.set(name, validate);
  if (!validate(structured))
    throw new Error(`${name} answered what it does not list: ${JSON.stringify(validate.errors)}`);
}

export interface Tools {
  call: CallTool;
  /** Resolves with the text that the model reads of a call that must fail. */
  failure(name: string, args?: object, caller?: string): Promise<string>;
}

/** Returns functions that call tools directly, without MCP, on the service of a test file. */
export function useTools(target: () => ServiceTarget): Tools {
  const service = connectService(target);
  afterAll(() => service.close());

  const call: CallTool = async <Structured>(name: string, args: object = {}, caller?: string) => {
    const tool = toolOf(name);
    const { signal } = new AbortController();
    const { content, structuredContent } = await tool.call(args, { service, signal, caller });
    checkAnswer(tool, structuredContent);
    if (structuredContent !== undefined) {
      const [json] = content.splice(0, 1);
      expect(json).toEqual({ type: 'text', text: JSON.stringify(structuredContent) });
    }
    const [first, second] = content;
    if (first?.type !== 'text') throw new Error(`${name} has ${first?.type} where its text should be`);
    const image = second?.type === 'image' ? { data: second.data, mimeType: second.mimeType } : undefined;
    return { structured: structuredContent as Structured, text: first.text, ...(image && { image }) };
  };

  async function failure(name: string, args?: object, caller?: string): Promise<string> {
    try {
      const { text } = await call(name, args, caller);
      throw new Error(`${name} did not fail, but answered: ${text}`);
    } catch (error) {
      const text = explain(error, target().apiUrl);
      if (text === undefined) throw error;
      return text;
    }
  }
  return { call, failure };
}

/** Creates a terminal by the tool; resolves with its id. */
export async function createdBy({ call }: Tools, args: object = {}): Promise<string> {
  return (await call<Terminal>('create_terminal', args)).structured.id;
}

/** The text that the model reads if a terminal is missing. */
export const NOT_FOUND = 'Terminal not found. list_terminals shows the running terminals.';

/** An id that no terminal has. */
export const UNKNOWN = 'term_000000000000';

/** The beginning of the text for a caller without a terminal. */
export const NO_TERMINAL = 'You do not run in a terminal of this service';
