/** Proposes a write as an agent does. @returns the id of the draft @throws Error if the tool refuses it */
export async function propose(
  { url, org, key }: { url: string; org: string; key: string },
  tool: string,
  args: object,
): Promise<string> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: '<b>helper</b> \u202E', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: tool, arguments: { org, ...args }, _meta: meta };
  const answer = await fetch(`${url}/api/v2/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const text = await answer.text();
  const { result } = JSON.parse(text) as { result?: { structuredContent?: { draft?: string } } };
  const id = result?.structuredContent?.draft;
  if (id === undefined) throw new Error(`${answer.status} ${text}`);
  return id;
}

/** Issues a key of a service account, which the whole organization sees the drafts of. */
export async function keyOfAccount(
  { url, org, key }: { url: string; org: string; key: string },
  account: string,
): Promise<string> {
  const address = `${url}/api/v2/service-accounts/${org}/${encodeURIComponent(account)}/api-keys`;
  const answer = await fetch(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ description: 'of an agent' }),
  });
  return ((await answer.json()) as { key: string }).key;
}
