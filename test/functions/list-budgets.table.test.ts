import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { PUBLIC_KEY } from '#test/shared/signatures/sample-key.ts';
import { testApi } from '#test/support/api.ts';
import { inOwnBuild, type OwnValues, writeWithCopies } from '#test/support/copies/copied-writes.ts';
import {
  aCommit,
  anArtifact,
  aRepo,
  type EvidenceOfOrganization,
  fingerprintOf,
  newOrganization,
  shaOf,
} from '#test/support/evidence.ts';
import { warmUp } from '#test/support/table/request-costs.ts';
import { countingTable } from '#test/support/table/units.ts';

/**
 * What lists cost at their largest page, each row with a flow, a repository and targets of its own, beside the floor of
 * read units (rules/storage.md#cost-of-lists).
 */

const SERVED = [
  ...[
    'actions',
    'artifacts',
    'attestations',
    'audit',
    'builds',
    'components',
    'controls',
    'drafts',
    'environment-notifications',
    'environments',
  ],
  ...[
    'evaluations',
    'expectations',
    'flows',
    'organizations',
    'policies',
    'repos',
    'service-accounts',
    'signers',
    'tags',
    'trails',
    'user',
  ],
];
const api = await testApi(groups.filter(({ name }) => SERVED.includes(name)));
const sound = api.services.table;
const ROWS = 100;
const figures: Record<string, unknown> = {};
let acme: EvidenceOfOrganization;

afterAll(() => {
  console.table(figures);
});

/** What a request costs on a warm function. */
async function costOf(path: string, query: string) {
  await warmUp(api, () => acme.get(`/flows/${acme.org}/nope`));
  const { table, units } = countingTable(sound);
  api.services.table = table;
  try {
    const { status } = await acme.get(path.replace('ORG', acme.org), query);
    const logged = api.entries.findLast((entry) => 'aws_calls' in entry) as unknown as Record<string, number>;
    return { status, calls: logged['aws_calls'] ?? 0, trips: logged['aws_sequential'] ?? 0, units: units.read };
  } finally {
    api.services.table = sound;
  }
}

async function expectDone(answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
}

const TEMPLATE = 'trail:\n  attestations:\n    - {name: review, type: generic}';

/** How the records number `n` differ from the first ones. */
function copyOf(org: OrganizationId, n: number): OwnValues {
  const fingerprint = fingerprintOf(`cli-${n}`);
  return {
    texts: {
      'flow-0': `flow-${n}`,
      'repo-0': `repo-${n}`,
      'repo-id-0': `repo-id-${n}`,
      'cli-0': `cli-${n}`,
      'C-0': `C-${n}`,
      'Control 0': `Control ${n}`,
      [fingerprintOf('cli-0')]: fingerprint,
    },
    set: inOwnBuild(org, fingerprintOf('cli-0'), fingerprint),
  };
}

beforeAll(async () => {
  acme = await newOrganization(api, ['controls', 'evaluations']);
  const call = (method: string, path: string, json: unknown) =>
    expectDone(acme.call(method, path.replace('ORG', acme.org), { json }));
  const writeFirst = async () => {
    const place = { flow: 'flow-0', trail: 'run' };
    const repo = aRepo({ id: 'repo-id-0', name: 'acme/repo-0' });
    await expectDone(acme.putFlow(place.flow, TEMPLATE));
    await call('PATCH', `/tags/ORG/flow/${place.flow}`, { set_tags: { team: 'web' } });
    await expectDone(acme.begin({ description: 'A release', git_commit_info: aCommit('0') }, place));
    await expectDone(
      acme.report(anArtifact('cli-0', { repo_info: repo, git_commit: shaOf('c'), trail_name: 'run' }), place),
    );
    await expectDone(acme.attest('generic', { attestation_name: 'review', is_compliant: true }, place));
    await call('POST', '/controls/ORG', { identifier: 'C-0', name: 'Control 0', description: 'Reviewed' });
    await call('PATCH', '/tags/ORG/control/C-0', { set_tags: { team: 'web' } });
    await call('POST', '/evaluations/ORG', {
      context: { trails: [{ flow: 'flow-0', trail: 'run' }] },
      policy: { files: { 'policy.rego': 'package policy\n\nallow := true\n' } },
    });
  };
  // Copies do for counts of calls and units, which look at no hashes.
  await writeWithCopies(
    api.services,
    acme.id,
    writeFirst,
    Array.from({ length: ROWS - 1 }, (_, i) => copyOf(acme.id, i + 1)),
  );
  await call('PUT', '/environments/ORG', { name: 'prod', type: 'server' });
  await call('PUT', '/trust-roots/ORG/key', { kind: 'public-key', public_key: PUBLIC_KEY });
  await call('PUT', '/signers/ORG/key', { trust_root: 'key' });
  await call('PUT', '/recalls/ORG/leak', { signer: 'key', reason: 'it leaked' });
  await call('PUT', '/watches/ORG/lodash', { purl: 'pkg:npm/lodash@1.0.0' });
  const expected = { name: 'all', kind: 'reports', scope: { tags: { tier: '1' } }, every: 'PT20M' };
  await call('PUT', '/expectations/ORG', expected);
  const flows = { scope: { tags: { team: 'web' } }, every: 'PT20M', starts_at: 0 };
  for (const about of [
    { kind: 'evidence', evidence: { name: 'review' } },
    { kind: 'activity' },
    { kind: 'completion' },
    { kind: 'decision', control: 'C-1' },
  ]) {
    await call('PUT', '/expectations/ORG', { name: about.kind, ...flows, ...about });
  }
  for (const i of Array.from({ length: 20 }).keys()) {
    const targets = ['a', 'b', 'c'].map((who) => ({ type: 'EMAIL', emails: [`${who}-${i}@example.com`] }));
    for (const triggers of [['ON_ATTESTATION'], ['ON_STARTED_TRAIL']]) {
      const action = { name: `action-${i}`, type: 'flow', flows: [`flow-${i}`], triggers, targets };
      await call('PUT', '/actions/ORG/flows', action);
    }
    const notice = { name: `n-${i}`, environments: ['prod'], triggers: ['ON_STARTED_ARTIFACT'], targets };
    await call('PUT', '/organizations/ORG/environments_notifications', notice);
    await call('POST', '/service-accounts/ORG', { name: `robot-${i}`, privilege: 'member' });
  }
  api.services.clock.advance(600_000_000);
}, 300_000);

describe('a list', () => {
  it.each([
    ['flows', '/flows/ORG', '', 103],
    ['flows, a page', '/flows/ORG', 'per_page=20', 23],
    ['flows, largest page', '/flows/ORG', 'per_page=100', 103],
    ['trails', '/trails/ORG', 'per_page=20', 42],
    ['trails, largest page', '/trails/ORG', 'per_page=100', 204],
    ['trails with slots', '/trails/ORG', 'per_page=50&include=slots', 154],
    ['trails by state', '/trails/ORG', 'per_page=100&compliance_state=INCOMPLETE', 104],
    ['trails by name', '/trails/ORG', 'per_page=100&name=run', 204],
    ['trails in a window', '/trails/ORG', 'per_page=100&start_ts=1', 204],
    ['trails, the last page', '/trails/ORG', 'per_page=50&page=2', 104],
    ['trails of a flow', '/trails/ORG/flow-1', 'per_page=100', 4],
    ['a trail', '/trails/ORG/flow-1/run', '', 5],
    ['moments', '/trails/ORG/flow-1/run/moments', '', 2],
    ['attestations', '/attestations/ORG', 'per_page=20', 44],
    ['attestations, largest page', '/attestations/ORG', 'per_page=100', 204],
    ['attestations by result', '/attestations/ORG', 'per_page=100&is_compliant=true', 204],
    ['attestations of a flow', '/attestations/ORG', 'per_page=100&flow=flow-1', 8],
    ['attestations in a window', '/attestations/ORG', 'per_page=100&start_ts=1', 204],
    ['attestations of a type', '/attestations/ORG', 'per_page=100&attestation_type=generic', 204],
    ['attestations of a flow and type', '/attestations/ORG', 'per_page=100&flow=flow-1&attestation_type=generic', 8],
    ['attestations of a trail', '/attestations/ORG', 'per_page=100&flow=flow-1&trail=run', 5],
    ['attestations of an artifact', '/attestations/ORG', `per_page=100&fingerprint=${fingerprintOf('cli-1')}`, 6],
    ['builds', '/builds/ORG', 'per_page=20', 64],
    ['builds, largest page', '/builds/ORG', 'per_page=50', 154],
    ['builds, the last page', '/builds/ORG', 'per_page=50&page=2', 154],
    ['builds of a repository', '/builds/ORG', 'per_page=50&repo_name=acme/repo-1', 12],
    ['repositories', '/repos/ORG', '', 34],
    ['repositories, largest page', '/repos/ORG', 'per_page=50', 104],
    ['repositories by name', '/repos/ORG', 'name=acme/repo-1', 6],
    ['repositories with tags', '/repos/ORG', 'per_page=50&tag=a&tag=b&tag=c&tag=d&tag=e', 9],
    ['controls', '/controls/ORG', '', 19],
    ['controls, largest page', '/controls/ORG', 'per_page=100', 104],
    ['controls with a tag', '/controls/ORG', 'per_page=100&tag=team', 106],
    ['coverage', '/controls/ORG/C-1/coverage', '', 3],
    ['versions of a control', '/controls/ORG/C-1/versions', '', 2],
    ['evaluations', '/evaluations/ORG', 'per_page=20', 23],
    ['evaluations, largest page', '/evaluations/ORG', 'per_page=100', 104],
    ['actions', '/actions/ORG', '', 26],
    ['notifications', '/organizations/ORG/environments_notifications', '', 6],
    ['deliveries', '/deliveries/ORG', 'per_page=100', 6],
    ['deliveries of an action', '/actions/ORG/1/deliveries', 'per_page=100', 2],
    ['audit log', '/audit/ORG', 'per_page=100', 13],
    ['audit log of a kind', '/audit/ORG', 'per_page=100&kind=member', 88],
    ['members', '/organizations/ORG/members', '', 2],
    ['service accounts', '/service-accounts/ORG', '', 2],
    ['keys of a service account', '/service-accounts/ORG/robot-1/api-keys', '', 1],
    ['trusts', '/trusts/ORG', '', 1],
    ['trust roots', '/trust-roots/ORG', '', 1],
    ['signers', '/signers/ORG', 'per_page=100', 2],
    ['recalls', '/recalls/ORG', 'per_page=100', 2],
    ['impact of a recall', '/recalls/ORG/leak/impact', 'per_page=100', 6],
    ['packages by name', '/components/ORG', 'name=lo', 1],
    ['builds of a component', '/components/ORG', 'purl=pkg:npm/lodash@1.0.0&per_page=100', 2],
    ['where a component runs', '/components/ORG/exposure', 'purl=pkg:npm/lodash@1.0.0&per_page=100', 2],
    ['watches', '/watches/ORG', 'per_page=100', 2],
    ['expectations', '/expectations/ORG', 'per_page=100', 2],
    // The list of environments with their details, that of flows, the arrivals of two kinds, and the gaps that last.
    ['expectations with counts', '/expectations/ORG', 'per_page=100&include=counts', 14],
    ['environments of an expectation', '/expectations/ORG/all/subjects', 'per_page=100', 3],
    ['gaps', '/gaps/ORG', 'per_page=100', 2],
    ['flows of an expectation about evidence', '/expectations/ORG/evidence/subjects', 'per_page=100', 13],
    ['flows of an expectation about activity', '/expectations/ORG/activity/subjects', 'per_page=100', 13],
    ['trails of an expectation', '/expectations/ORG/completion/subjects', 'per_page=100', 113],
    [
      'trails of an expectation that are missed',
      '/expectations/ORG/completion/subjects',
      'per_page=100&state=missed',
      113,
    ],
    ['artifacts of an expectation', '/expectations/ORG/decision/subjects', 'per_page=100', 3],
    ['drafts', '/drafts/ORG', '', 1],
    ['frequency of a flow', '/flows/ORG/flow-1/frequency', '', 5],
    ['own keys', '/user/api-keys', '', 2],
  ])('%s: at most 8 calls, and twice the units of its floor', async (name, path, query, floor) => {
    const { status, calls, trips, units } = await costOf(path, query);
    figures[name] = { calls, trips, units, floor };
    expect([status, calls <= 8, trips <= 5, units <= 2 * floor]).toEqual([200, true, true, true]);
  });
});
