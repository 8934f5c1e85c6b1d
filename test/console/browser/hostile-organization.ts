import { groups } from '#functions/groups.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import { type Step, steps } from './hostile-steps.ts';
import { hostileBody, SHORT } from './hostile-texts.ts';

/** The operations whose texts are checked, so that no other text is accepted. With the reason. */
export const WITHOUT_TEXTS: Readonly<Record<string, string>> = {
  dryRunPolicy: 'Stores nothing',
  dryRunEvaluation: 'Stores nothing',
  dryRunExpectation: 'Stores nothing',
  renameFlow: 'The new name has a fixed form',
  renameEnvironment: 'The new name has a fixed form',
  startPackage: 'The record must exist',
  joinEnvironment: 'The member must exist',
  attachPolicies: 'The policies must exist',
  detachPolicies: 'The policies must exist',
  patchEnvironment: 'Sets the same fields as putEnvironment',
  tagControls: 'Sets the same fields as tagControl',
  changeEnvironmentNotification: 'Sets the same fields as putEnvironmentNotification',
  rotateServiceAccountKey: 'Has no texts',
  rotatePersonalKey: 'Has no texts',
  exchangeToken: 'Takes tokens that an issuer signed',
  issuePersonalKey: 'The users of the shared stack belong to all stories',
  excuseGap: 'A gap takes minutes to come. Its page is shown with an answer of the test',
  checkSigner: 'Stores nothing',
  tryRecall: 'Stores nothing',
  putMember: 'The role is one of a list',
  putExperimentalFeatures: 'The features are those of a list',
  presignUpload: 'The name of a file becomes visible with the attachment of an attestation only',
  reportContainerOrchestrator: 'Takes the reports of reportK8S',
  reportCloudContainerOrchestrator: 'Takes the reports of reportECS',
  reportObjectStorage: 'Takes the reports of reportS3',
  reportServerless: 'Takes the reports of reportLambda',
  reportContainerRuntime: 'Takes the reports of reportDocker',
  reportCloudApps: 'Takes the reports of reportAzureApps',
  reportCloudContainers: 'Takes the reports of reportCloudRun',
};

/** Id of the gap that {@link hostileGap} returns. */
export const GAP = 'gap-1';

export const operations: ReadonlyMap<string, Endpoint> = new Map(
  groups.flatMap(({ endpoints }) => endpoints).map((endpoint) => [endpoint.operation, endpoint]),
);

/** Names of the operations that fill the organization. */
export const FILLING: ReadonlySet<string> = new Set(steps('').map(([operation]) => operation));

/**
 * Fills an organization with one record of each kind. Each text has a hostile value, if the service accepts one there.
 *
 * @param receiver address that notifications are sent to
 * @throws Error if the service refuses a request: then the step must keep one more field
 */
export async function fillHostile(at: Place, receiver: string): Promise<void> {
  for (const [operation, step] of steps(receiver)) await send(at, operation, step);
}

/** An organization, and the key of its admin. */
export interface Place {
  url: string;
  org: string;
  key: string;
}

async function send(
  { url, org, key }: Place,
  operation: string,
  { base, params = {}, kept, files }: Step,
): Promise<void> {
  const endpoint = operations.get(operation);
  if (!endpoint) throw new Error(`There is no operation ${operation}`);
  const { document } = hostileBody(endpoint, base, kept);
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent({ org, ...params }[name] ?? ''),
  );
  const { method, body } = endpoint;
  const form = body.kind === 'multipart' ? new FormData() : undefined;
  if (body.kind === 'multipart') form?.append(body.part, JSON.stringify(document));
  for (const [part, text] of Object.entries(files ?? {}))
    form?.append(part, new Blob([text]), '"><img src=x onerror=alert(5)>.html');
  const answer = await fetch(`${url}/api/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(!form && { 'content-type': 'application/json' }) },
    body: form ?? JSON.stringify(document),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${operation} was answered with ${answer.status}: ${text.slice(0, 2_000)}`);
}

/** A gap with hostile texts, as the service answers it. A real one takes minutes to come. */
export const hostileGap = (org: string, environment: string) => ({
  id: GAP,
  expectation: 'alive',
  expectation_version: 1,
  kind: 'reports',
  severity: 'critical',
  owner: SHORT,
  subject: { type: 'environment', environment },
  state: 'excused',
  from: 1_700_000_000,
  detected_at: 1_700_000_060,
  until: 1_700_009_000,
  ended: 'arrived',
  last_before: { at: 1_699_999_000, html_url: 'javascript:alert(1)' },
  first_after: { at: 1_700_009_000, html_url: `https://evil.example/${org}` },
  unknown_seconds: 120,
  explanation: { text: `${SHORT}\n${'W'.repeat(900)}`, by: SHORT, at: 1_700_010_000 },
  html_url: null,
});
