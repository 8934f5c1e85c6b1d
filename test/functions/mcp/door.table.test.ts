import { describe, expect, it } from 'vitest';
import { environmentNameKey } from '#shared/environments/records/keys.ts';
import { organizationWith, uniqueName } from '#test/support/directory.ts';
import { environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { testName } from '#test/support/ids.ts';
import { policyText } from '#test/support/policies.ts';
import { agentsApi, callTool, MODERN, send, sendModern, sendText } from './agents-api.ts';

const api = await agentsApi();
const { name: org, keys } = await organizationWith(api.services, ['reader', 'snapshotter']);
const key = keys.reader;

describe('POST /mcp', () => {
  it('answers the handshake of agents with JSON and no session', async () => {
    const { status, json } = await send(
      api,
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
      { key },
    );
    expect(status).toBe(200);
    expect(json.result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'delivery-evidence' } });
  });

  it('answers agents without a handshake', async () => {
    const found = await sendModern(api, 'server/discover', {}, { key });
    expect(found.json.result).toMatchObject({ supportedVersions: [MODERN] });
    const { json } = await sendModern(
      api,
      'tools/call',
      { name: 'what_runs', arguments: { org, environment: 'no' } },
      { key },
    );
    expect(json.result).toMatchObject({ isError: true });
  });

  it('lists tools that say whether they write a draft, with closed schemas', async () => {
    const { json } = await send(api, 'tools/list', {}, { key });
    const tools = (json.result as { tools: { name: string; annotations: object; inputSchema: object }[] }).tools;
    expect(tools.map(({ name }) => name)).toContain('why_not_compliant');
    for (const tool of tools) {
      const drafts = tool.name.startsWith('draft_');
      expect(tool.annotations).toMatchObject({ readOnlyHint: !drafts, destructiveHint: false });
      expect(tool.inputSchema).toMatchObject({ additionalProperties: false });
    }
  });

  it('takes a notification without an answer, and a ping', async () => {
    const sent = await sendText(api, '{"jsonrpc":"2.0","method":"notifications/initialized"}', { key });
    expect(sent.status).toBe(202);
    expect((await send(api, 'ping', undefined, { key })).json).toMatchObject({ result: {} });
  });

  it.each([
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600],
    ['a text that is not JSON', '{', 400, -32700],
    ['an empty body', '', 400, -32700],
    ['a number', '1', 400, -32600],
    ['a stream of changes', '{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}', 404, -32601],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"tools/delete","params":{}}', 200, -32601],
  ])('refuses %s', async (_, text, status, code) => {
    const answer = await sendText(api, text, { key });
    expect([answer.status, answer.json.error?.code]).toEqual([status, code]);
  });

  it('refuses an unknown revision, and names those that it speaks', async () => {
    const { status, json } = await send(api, 'ping', undefined, {
      key,
      headers: { 'mcp-protocol-version': '1999-01-01' },
    });
    expect(status).toBe(400);
    expect(json.error?.message).toContain('2025-11-25');
  });

  it('refuses a page of another site, and takes its own Origin', async () => {
    const foreign = await send(api, 'ping', undefined, { key, headers: { origin: 'https://evil.example' } });
    expect(foreign.status).toBe(403);
    const own = await send(api, 'ping', undefined, { key, headers: { origin: 'https://api.example' } });
    expect(own.status).toBe(200);
  });

  it('refuses a message above 256 KB', async () => {
    const { status } = await sendText(api, `"${'x'.repeat(256 * 1024)}"`, { key });
    expect(status).toBe(413);
  });

  it.each(['GET', 'DELETE'])('has no endpoint for %s, with which older agents open and end streams', async (method) => {
    expect((await api.call(method, '/mcp', { key })).status).toBe(404);
  });

  it('refuses strangers', async () => {
    expect((await send(api, 'ping', undefined)).status).toBe(401);
    expect((await send(api, 'ping', undefined, { key: uniqueName('nobody') })).status).toBe(401);
  });

  it('refuses arguments beyond the schema of a tool, each by its name', async () => {
    const { content, isError } = await callTool(api, key, 'what_runs', { org, environment: 'prod', format: 'raw' });
    expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining('format')]);
  });
});

describe('rights of tools', () => {
  it('are those of the caller in the organization: another organization is refused as if there were none', async () => {
    const other = await organizationWith(api.services, ['admin']);
    const ask = (name: string) => callTool(api, other.keys.admin, 'what_runs', { org: name, environment: 'prod' });
    const [there, nowhere] = [await ask(org), await ask(uniqueName('nowhere'))];
    expect(there).toMatchObject({ isError: true });
    expect(there).toEqual(nowhere);
  });

  it('need no name of the organization if the caller has one alone', async () => {
    const { content } = await callTool(api, key, 'what_runs', { environment: 'prod' });
    expect(content[0]?.text).toContain("Environment named 'prod' does not exist");
  });
});

describe('tools about environments', () => {
  it('say why an environment is not compliant, and what runs there, with citations', async () => {
    const acme = await environmentsOfOrganization(api);
    await acme.putEnvironment('prod', 'server');
    await acme.putPolicy('known', policyText('provenance: {required: true}'));
    await acme.attach('prod', 'known');
    await acme.run('prod', onServer({ '/opt/app': 'app' }));
    const why = await callTool(api, acme.keys.admin, 'why_not_compliant', { org: acme.org, environment: 'prod' });
    expect(why.content[0]?.text).toMatch(
      /^The environment «prod» is not compliant: 1 of 1 artifacts is not compliant\./,
    );
    expect(why.content[0]?.text).toContain('- «/opt/app»: «');
    expect(why.structuredContent).toMatchObject({
      compliant: false,
      rows: [{ artifact: '«/opt/app»' }],
      left_out: null,
      citations: [
        { url: `https://api.example/${acme.org}/environments/prod` },
        { url: `https://api.example/api/v2/receipts/${acme.org}/environments/prod/1` },
      ],
    });
    const runs = await callTool(api, acme.keys.admin, 'what_runs', { org: acme.org, environment: 'prod' });
    expect(runs.content[0]?.text).toContain('no flow has reported it');
  });

  it('end with a fault that is logged if a record cannot be read, and say nothing of it', async () => {
    const acme = await environmentsOfOrganization(api);
    await api.services.table.put({ ...environmentNameKey(acme.id, testName('broken')), v: 1, secret: 'inner' });
    const params = { name: 'what_runs', arguments: { org: acme.org, environment: 'broken' } };
    const before = api.entries.length;
    const { status, json } = await send(api, 'tools/call', params, { key: acme.keys.reader });
    expect([status, json]).toEqual([500, { message: 'Internal server error' }]);
    expect(api.entries.slice(before).map(({ level }) => level)).toContain('ERROR');
  });

  it('answer in at most 4 KB, and say what is left out', async () => {
    const acme = await environmentsOfOrganization(api);
    await acme.putEnvironment('prod', 'server');
    await acme.run(
      'prod',
      onServer(Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`/opt/${n}`, `app-${n}`]))),
    );
    const answer = await callTool(api, acme.keys.admin, 'what_runs', { org: acme.org, environment: 'prod' });
    expect(Buffer.byteLength(JSON.stringify([answer.content[0]?.text, answer.structuredContent]))).toBeLessThanOrEqual(
      4096,
    );
    const rows = answer.structuredContent?.['rows'] as unknown[];
    expect(rows.length).toBeGreaterThan(5);
    expect(answer.structuredContent?.['left_out']).toMatchObject({ count: 60 - rows.length });
  });
});
