import { completable, type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { doorTo } from '#functions/mcp/answer-message.ts';
import { type AgentServices, agentServer, OFFER } from '#functions/mcp/server.ts';
import type { Prompt } from '#shared/agents/prompts.ts';
import { type Tool, tool } from '#shared/agents/tool.ts';
import { sentence } from '#shared/base/errors.ts';
import { endpointGroup } from '#shared/http/endpoint.ts';

/**
 * The tools, resources and prompts that the public suite of the agents' protocol asks a server for, behind the door of this service:
 * the same endpoint, the same server, and more on it. What our own kinds of tools and prompts can say goes through them. Pictures, sounds
 * and embedded resources, which no tool of this service answers, go through the library.
 */

const refusedOnPurpose = sentence('refused', 'This tool intentionally returns an error for testing');

const plain = (name: string, input: z.ZodRawShape, verdict: () => string): Tool<AgentServices> =>
  tool({
    name,
    title: name,
    description: `Answers ${name} of the suite`,
    input,
    access: 'reader',
    run: async () => ({ verdict: verdict(), facts: {}, rows: [], citations: [] }),
  });

const TOOLS: readonly Tool<AgentServices>[] = [
  plain('test_simple_text', {}, () => 'This is a simple text response for testing.'),
  plain('test_error_handling', {}, () => {
    throw refusedOnPurpose();
  }),
  plain(
    'json_schema_2020_12_tool',
    { name: z.string(), address: z.object({ street: z.string(), city: z.string() }).meta({ id: 'address' }) },
    () => 'It has an address.',
  ),
];

/** Completes to the few words that begin with what was typed. */
const anyWord = completable(z.string(), (typed) => ['paris', 'park', 'party'].filter((word) => word.startsWith(typed)));

const PROMPTS: readonly Prompt[] = [
  {
    name: 'test_simple_prompt',
    title: 'Simple prompt',
    description: 'A prompt without arguments',
    input: z.strictObject({}),
    text: () => 'This is a simple prompt for testing.',
  },
  {
    name: 'test_prompt_with_arguments',
    title: 'Prompt with arguments',
    description: 'A prompt with two arguments, one of which can be completed',
    input: z.strictObject({ arg1: anyWord, arg2: z.string() }),
    text: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  },
];

/** A red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A sound without samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const;
const text = (said: string) => ({ type: 'text', text: said }) as const;
const resource = (uri: string, mimeType: string, said: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text: said } }) as const;

/** What tools answer that our own kind of tool cannot say. */
const CONTENTS = {
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
} as const;

function addContents(server: McpServer): McpServer {
  for (const [name, content] of Object.entries(CONTENTS)) {
    server.registerTool(name, { description: `Answers ${name} of the suite` }, () => ({ content: [...content] }));
  }
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt with a resource in it', argsSchema: z.strictObject({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        { role: 'user', content: resource(resourceUri, 'text/plain', 'Embedded resource content for testing.') },
        { role: 'user', content: text('Please process the embedded resource above.') },
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with a picture in it' }, () => ({
    messages: [
      { role: 'user', content: image },
      { role: 'user', content: text('Please analyze the image above.') },
    ],
  }));
  return server;
}

function addResources(server: McpServer): McpServer {
  server.registerResource('static-text', 'test://static-text', { mimeType: 'text/plain' }, () => ({
    contents: [
      {
        uri: 'test://static-text',
        mimeType: 'text/plain',
        text: 'This is the content of the static text resource.',
      },
    ],
  }));
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, () => ({
    contents: [{ uri: 'test://static-binary', mimeType: 'image/png', blob: PNG }],
  }));
  const byId = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('test-template', byId, { mimeType: 'application/json' }, ({ href: uri }, { id }) => ({
    contents: [
      {
        uri,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }));
  return server;
}

/** The door of this service with the tools of the suite behind it, beside the own ones. */
export const testToolsGroup = endpointGroup({
  name: 'mcp-test-tools',
  about: 'The door for agents with the tools that the public suite of the protocol asks for.',
  endpoints: [
    doorTo((asking) =>
      addResources(
        addContents(
          agentServer(asking, { tools: [...OFFER.tools, ...TOOLS], prompts: [...OFFER.prompts, ...PROMPTS] }),
        ),
      ),
    ),
  ],
});
