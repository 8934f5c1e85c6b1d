import { expect, it } from 'vitest';
import { callTool, send } from '#test/functions/mcp/agents-api.ts';
import { testApi } from '#test/support/api.ts';
import { organizationWith } from '#test/support/directory.ts';
import { testToolsGroup } from './test-tools.ts';

/** What the public suite asks for is answered through the door, with its key and its rights. The suite itself is run by hand. */

const api = await testApi([testToolsGroup]);
const { keys } = await organizationWith(api.services, ['reader']);
const key = keys.reader;
const result = async (method: string, params: object) => (await send(api, method, params, { key })).json.result;

it('answers tools of the suite, and a refusal of a tool, beside the own tools', async () => {
  const { content } = await callTool(api, key, 'test_simple_text', {});
  expect(content[0]?.text).toBe('This is a simple text response for testing.');
  expect(await callTool(api, key, 'test_error_handling', {})).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: 'This tool intentionally returns an error for testing' }],
  });
  const mixed = await callTool(api, key, 'test_multiple_content_types', {});
  expect(mixed.content.map(({ type }) => type)).toEqual(['text', 'image', 'resource']);
  expect(await callTool(api, key, 'what_runs', { environment: 'prod' })).toMatchObject({ isError: true });
});

it('keeps the words of JSON Schema in the schema of a tool', async () => {
  const listed = await result('tools/list', {});
  expect(listed).toMatchObject({
    tools: expect.arrayContaining([
      expect.objectContaining({
        name: 'json_schema_2020_12_tool',
        inputSchema: expect.objectContaining({
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $defs: { address: expect.objectContaining({ type: 'object' }) },
          additionalProperties: false,
        }),
      }),
    ]),
  });
});

it('reads resources of the suite, and gets and completes its prompts', async () => {
  expect(await result('resources/read', { uri: 'test://template/123/data' })).toMatchObject({
    contents: [{ text: expect.stringContaining('"id":"123"') }],
  });
  expect(await result('resources/read', { uri: 'test://static-binary' })).toMatchObject({
    contents: [{ blob: expect.stringMatching(/^iVBOR/) }],
  });
  const name = 'test_prompt_with_arguments';
  expect(await result('prompts/get', { name, arguments: { arg1: 'one', arg2: 'two' } })).toMatchObject({
    messages: [{ content: { text: "Prompt with arguments: arg1='one', arg2='two'" } }],
  });
  const asked = { ref: { type: 'ref/prompt', name }, argument: { name: 'arg1', value: 'park' } };
  expect(await result('completion/complete', asked)).toMatchObject({ completion: { values: ['park'] } });
});

it('refuses strangers', async () => {
  expect((await send(api, 'tools/list', {})).status).toBe(401);
});
