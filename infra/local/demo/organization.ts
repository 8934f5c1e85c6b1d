import * as z from 'zod';
import type { DemoClient } from './client.ts';
import { DEMO_ORGANIZATION as ORG } from './people.ts';
import type { Script } from './script.ts';
import { HOURS_PER_DAY } from './setting.ts';

/** Hours before the present at which the demo data begins. */
export const BEGIN = 90 * HOURS_PER_DAY;
/** Name of the service account of the pipelines. */
const PIPELINE = 'ci';

const CONTROLS = [
  ['RCTL-1', 'Four eyes on every change', 'Somebody other than the author approves each release.'],
  ['RCTL-2', 'No release without evidence', 'A trail is complete before its artifact is promoted.'],
  ['RCTL-3', 'Change ticket', 'Each promotion names the ticket of its change.'],
  ['RCTL-4', 'Recovery exercise', 'The recovery of the ledger is exercised twice a year.'],
] as const;

const policy = (artifacts: string): string =>
  `_schema: https://evidence.example.com/schemas/policy/environment/v1\nartifacts:\n${artifacts}`;
const PROVENANCE = '  provenance:\n    required: true\n';
const TRAIL = '  trail-compliance:\n    required: true\n';
const FOUR_EYES = '  attestations:\n    - type: decision\n      for_control: RCTL-1\n';

const STRICT = [
  [90, 'Known origin', policy(PROVENANCE)],
  [60, 'Compliant trail', policy(PROVENANCE + TRAIL)],
  [30, 'Approved by a second person', policy(PROVENANCE + TRAIL + FOUR_EYES)],
] as const;

const TEMPLATES = {
  web: `version: 1
trail:
  attestations:
    - name: review
      type: pull_request
  artifacts:
    - name: app
      attestations:
        - name: unit-tests
          type: junit
        - name: signature
          type: generic
`,
  payments: `version: 1
trail:
  attestations:
    - name: review
      type: generic
  artifacts:
    - name: worker
      attestations:
        - name: unit-tests
          type: junit
        - name: sbom
          type: sbom
        - name: signature
          type: generic
`,
  ledger: `version: 1
trail:
  artifacts:
    - name: ledger
      attestations:
        - name: unit-tests
          type: junit
        - name: scan
          type: snyk
        - name: signature
          type: generic
`,
  infra: `version: 1
trail:
  attestations:
    - name: plan
      type: custom:terraform-plan
`,
  nightly: 'version: 1\n',
  promotion: `version: 1
trail:
  attestations:
    - name: ticket
      type: generic
    - name: verdict
      type: decision
`,
} as const;

const DESCRIPTIONS: Record<keyof typeof TEMPLATES, string> = {
  web: 'Pages and basket of the shop',
  payments: 'Worker that talks to the payment providers',
  ledger: 'Bookkeeping of orders',
  infra: 'Changes of the infrastructure',
  nightly: 'Everything that is too slow for each commit',
  promotion: 'What may go from staging to production',
};

const PLAN_SCHEMA = JSON.stringify({
  type: 'object',
  required: ['add', 'change', 'destroy'],
  properties: { add: { type: 'integer' }, change: { type: 'integer' }, destroy: { type: 'integer' } },
});

/** Adds controls, policies, flows, a custom type, the service account and changes of people. */
export function addOrganization(script: Script, admin: string, useKey: (secret: string) => void): void {
  /** Adds changes that every other step may depend on. */
  const add = (hoursAgo: number, run: (client: DemoClient) => Promise<unknown>) => script.add(hoursAgo, [], run);
  const put = (client: DemoClient, method: string, path: string, json: unknown) =>
    client.send(admin, method, path.replace('ORG', ORG), { json });

  add(BEGIN, async (client) => {
    const accounts = '/service-accounts/ORG';
    const account = { name: PIPELINE, privilege: 'member', description: 'Pipelines and reporters' };
    await put(client, 'POST', accounts, account);
    const keys = `${accounts}/${PIPELINE}/api-keys`;
    const made = await put(client, 'POST', keys, { description: 'pipeline' });
    useKey(z.object({ key: z.string() }).parse(made).key);
  });
  for (const [identifier, name, description] of CONTROLS) {
    const links = { handbook: `https://handbook.webshop.example/${identifier}` };
    add(BEGIN, (client) => put(client, 'POST', '/controls/ORG', { identifier, name, description, links }));
  }
  add(45 * HOURS_PER_DAY, (client) => {
    const description = 'A trail is complete before its artifact is promoted. Exceptions need a ticket.';
    return put(client, 'PUT', '/controls/ORG/RCTL-2', { name: 'No release without evidence', description });
  });

  const putPolicy = (client: DemoClient, document: object, text: string) =>
    client.send(admin, 'PUT', `/policies/${ORG}`, { part: 'payload', document, files: { policy_file: text } });
  for (const [days, comment, text] of STRICT) {
    const document = { name: 'strict', description: 'For production', comment };
    add(days * HOURS_PER_DAY, (client) => putPolicy(client, document, text));
  }
  const signed = `${policy(PROVENANCE)}  attestations:
    - name: signature
      type: generic
    - type: decision
      for_control: RCTL-1
`;
  add(BEGIN, (client) => putPolicy(client, { name: 'signed', description: 'Signed and approved' }, signed));

  add(BEGIN, (client) =>
    client.send(admin, 'POST', `/custom-attestation-types/${ORG}`, {
      part: 'data_json',
      document: {
        name: 'terraform-plan',
        description: 'Counts of a plan; a plan that destroys something is not compliant',
        evaluator: { content_type: 'jq', rules: ['.destroy == 0'] },
        summary: [
          { name: 'Added', expression: '.add' },
          { name: 'Changed', expression: '.change' },
          { name: 'Destroyed', expression: '.destroy' },
        ],
      },
      files: { type_schema: PLAN_SCHEMA },
    }),
  );
  for (const [name, template] of Object.entries(TEMPLATES)) {
    add(BEGIN, (client) =>
      client.send(admin, 'PUT', `/flows/${ORG}/template_file`, {
        part: 'data_json',
        // `Object.entries` forgets the names of flows.
        document: { name, description: DESCRIPTIONS[name as keyof typeof TEMPLATES] },
        files: { template_file: template },
      }),
    );
  }
  add(80 * HOURS_PER_DAY, (client) =>
    put(client, 'PATCH', '/tags/ORG/flow/payments', { set_tags: { team: 'checkout', tier: '1' } }),
  );

  add(40 * HOURS_PER_DAY, (client) => put(client, 'PUT', '/organizations/ORG/members/ann', { role: 'reader' }));
  add(5 * HOURS_PER_DAY, (client) => put(client, 'PUT', '/organizations/ORG/members/dora', { role: 'member' }));
  add(28 * HOURS_PER_DAY, async (client) => {
    const keys = `/service-accounts/ORG/${PIPELINE}/api-keys`;
    const made = await put(client, 'POST', keys, { description: 'old runner' });
    const { id } = z.object({ id: z.string() }).parse(made);
    await client.send(admin, 'DELETE', `${keys.replace('ORG', ORG)}/${id}`);
  });
  add(25 * HOURS_PER_DAY, (client) => {
    const expires_at = script.seconds(-5 * HOURS_PER_DAY);
    return put(client, 'POST', `/service-accounts/ORG/${PIPELINE}/api-keys`, { description: 'reporter', expires_at });
  });
}
