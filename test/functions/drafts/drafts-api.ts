import { draftsGroup } from '#functions/drafts/endpoints.ts';
import { expectationsGroup } from '#functions/expectations/endpoints.ts';
import { mcpGroup } from '#functions/mcp/endpoints.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { userGroup } from '#functions/user/endpoints.ts';
import { callTool, type ToolResult } from '#test/functions/mcp/agents-api.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { environmentGroups } from '#test/support/environments.ts';

/** The door for agents, drafts, and what they make. */
export const draftsApi = (): Promise<TestApi> =>
  testApi([...environmentGroups, expectationsGroup, mcpGroup, draftsGroup, userGroup, serviceAccountsGroup]);

/** A draft in answers. */
export interface DraftJson {
  id: string;
  state: string;
  subject: string;
  changes: { field: string; present: string | null; proposed: string | null }[];
  problem: string | null;
  request: { method: string; path: string; body: Record<string, unknown> };
  made: { type: string; name: string; version: number | null; html_url: string } | null;
  ended_by: string | null;
  agent: string | null;
}

export const idOf = ({ structuredContent }: ToolResult): string => String(structuredContent?.['draft']);

/** Drafts with a tool and returns the path of the draft. */
export async function drafted(api: TestApi, org: string, key: string, tool: string, args: object): Promise<string> {
  const answer = await callTool(api, key, tool, { org, ...args });
  if (answer.isError) throw new Error(answer.content[0]?.text);
  return `/drafts/${org}/${idOf(answer)}`;
}
