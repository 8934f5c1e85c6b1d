import { expect } from 'vitest';
import { groups } from '#functions/groups.ts';
import { notify } from '#functions/notifier/notify.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { HealthWriter } from '#shared/notifications/health-writer.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { PUBLIC_KEY } from '#test/shared/signatures/sample-key.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { type EnvironmentsOfOrganization, onServer, policyText } from '#test/support/environments.ts';
import { aCommit, anArtifact, aRepo } from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { logEverything } from '#test/support/log/exports.ts';
import { recordsOf } from '#test/support/log/read-tar.ts';
import { queueEvent } from '#test/support/queue.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { fullOrganization } from '#test/support/records/full-organization.ts';
import { findGaps } from '#test/support/records/gaps.ts';
import { npm, reportSbom, sbomOf } from '#test/support/records/reported-sboms.ts';
import { relayOf } from '#test/support/relay.ts';

/** The organization that forged exports and tables are made from. */
export type ForgedOrganization = EnvironmentsOfOrganization;

type Json = Record<string, unknown>;

const MINUTE = 60_000_000;
const POLICY = 'package policy\n\ndefault allow := true\n';

/** The endpoints, which also send to targets on this machine. */
export const apiToForge = (): Promise<TestApi> =>
  testApi(
    groups.filter(({ name }) => name !== 'meta' && name !== 'reference'),
    { guard: addressGuard(['127.0.0.0/8']) },
  );

/**
 * Makes an organization through the API that has every kind of line of an export, most kinds at least twice, with values
 * that differ. Then values of one line can be put into another.
 */
export async function organizationToForge(api: TestApi): Promise<ForgedOrganization> {
  const acme = checking(await fullOrganization(api));
  await moreTrails(acme);
  await moreEnvironments(acme);
  await moreAdministration(acme);
  await moreGaps(api, acme);
  await watches(acme);
  await evaluations(api, acme);
  await deliveries(api, acme);
  // The service signs only what the log has.
  await logEverything(api.services, acme.id);
  for (const path of [`/snapshots/${acme.org}/prod/1/statement`, `/trails/${acme.org}/api/second/statement`]) {
    expect((await acme.get(path)).status).toBe(200);
  }
  return acme;
}

/** Two watches that match in a trail and in an environment, as soon as the workers run, and one that was deleted. */
async function watches(acme: ForgedOrganization): Promise<void> {
  const known = { known_since: 1_790_000_000, known_note: 'A mail of the vendor' };
  for (const name of ['other', 'gone'])
    await sent(acme, 'PUT', `/watches/ORG/${name}`, { purl: 'pkg:npm/lodash@4.17.20', vulnerability: 'CVE-2020-8203' });
  await sent(acme, 'PUT', '/watches/ORG/other', { purl: 'pkg:npm/lodash@4.17.20', ...known });
  await sent(acme, 'DELETE', '/watches/ORG/gone', null);
  await reportSbom(acme, sbomOf(npm('lodash', '4.17.20')));
}

/** Gaps of another expectation, one of them excused. */
async function moreGaps({ services }: TestApi, acme: ForgedOrganization): Promise<void> {
  const scope = { environments: ['prod', 'stage'] };
  const terms = { name: 'every-hours', kind: 'reports', scope, every: 'PT2H', owner: 'team b', severity: 'critical' };
  await sent(acme, 'PUT', '/expectations/ORG', terms);
  await findGaps(services, acme.id, 3);
  const { gaps } = (await acme.get(`/gaps/${acme.org}`, 'expectation=every-hours')).json as { gaps: Json[] };
  await sent(acme, 'POST', `/gaps/ORG/${gaps[0]?.['id']}/excuse`, { text: 'The cluster moved' });
}

/** Calls that fail if the service refuses a report. */
function checking(acme: ForgedOrganization): ForgedOrganization {
  const checked =
    <A extends unknown[]>(call: (...args: A) => Promise<TestAnswer>) =>
    async (...args: A) => {
      const answer = await call(...args);
      expect([200, 201], `${JSON.stringify(args)}: ${answer.text}`).toContain(answer.status);
      return answer;
    };
  const { begin, report, attest, putFlow, putEnvironment, putPolicy, attach, run, allow } = acme;
  return {
    ...acme,
    ...{ begin: checked(begin), report: checked(report), attest: checked(attest), putFlow: checked(putFlow) },
    ...{ putEnvironment: checked(putEnvironment), putPolicy: checked(putPolicy), attach: checked(attach) },
    ...{ run: checked(run), allow: checked(allow) },
  };
}

async function sent(acme: ForgedOrganization, method: string, path: string, json: unknown): Promise<Json> {
  const answer = await acme.call(method, path.replace('ORG', acme.org), { json });
  expect([200, 201], `${method} ${path}: ${answer.text}`).toContain(answer.status);
  return answer.json as Json;
}

/** A NON-COMPLIANT trail and a COMPLIANT one, each with attachments and several moments. */
async function moreTrails(acme: ForgedOrganization): Promise<void> {
  await acme.putFlow('api', 'version: 1\ntrail:\n  attestations:\n    - name: audit\n      type: generic\n');
  const repo = aRepo({ id: '4712', name: 'acme/api', url: 'https://git.example/acme/api' });
  for (const [trail, isCompliant] of [
    ['second', true],
    ['third', false],
  ] as const) {
    const place = { flow: 'api', trail };
    await acme.begin({ description: `of ${trail}`, git_commit_info: aCommit(trail), repo_info: repo }, place);
    await acme.report(
      anArtifact(`app-${trail}`, { repo_info: repo, git_commit: aCommit(trail).sha1, git_commit_info: aCommit(trail) }),
      place,
    );
    const files = { attachment_file: `attached to ${trail}` };
    const given = { attestation_name: 'audit', is_compliant: isCompliant, user_data: { note: `of ${trail}` } };
    await acme.attest('generic', given, { ...place, files });
  }
  const junit = '<testsuites><testsuite name="unit" tests="1" failures="0" errors="0" skipped="0"/></testsuites>';
  const files = { attachment_file: junit };
  await acme.attest('generic', { attestation_name: 'extra', is_compliant: true }, { flow: 'web', files });
}

async function moreEnvironments(acme: ForgedOrganization): Promise<void> {
  await acme.putEnvironment('stage', 'server', { description: 'before production' });
  await acme.putEnvironment('all', 'logical');
  for (const env of ['prod', 'stage']) {
    await sent(acme, 'PUT', '/environments/ORG/all/join', { physical_env_name: env });
    await sent(acme, 'PATCH', `/tags/ORG/env/${env}`, { set_tags: { tier: env } });
  }
  await acme.putPolicy('loose', policyText());
  await acme.putPolicy('loose', STRICTER);
  await acme.attach('stage', 'loose', 'strict');
  await acme.run('stage', onServer({ one: 'app-second', two: 'app-third' }));
  await acme.run('stage', onServer({ one: 'app-second', two: 'app-third', added: 'cli' }, 1_776_000_100));
  await acme.run('prod', onServer({ api: 'cli', second: 'app-second' }));
  await acme.allow('prod', 'trusted');
  await acme.allow('stage', 'app-third', { description: 'known' });
}

const STRICTER = policyText('provenance: {required: true}');

async function moreAdministration(acme: ForgedOrganization): Promise<void> {
  for (const text of [
    { name: 'coverage', description: 'lines that tests run' },
    { name: 'load', description: 'requests in a second' },
  ]) {
    const type = { data_json: JSON.stringify(text) };
    const created = await acme.call('POST', `/custom-attestation-types/${acme.org}`, { form: { fields: type } });
    expect(created.status, created.text).toBe(201);
  }
  await sent(acme, 'POST', '/controls/ORG', { identifier: 'SOX-2', name: 'Tests', description: 'of every change' });
  await sent(acme, 'PUT', '/controls/ORG/SOX-1', { name: 'All reviews' });
  for (const control of ['SOX-1', 'SOX-2']) {
    await sent(acme, 'PATCH', `/tags/ORG/control/${control}`, { set_tags: { owner: control } });
  }
  const tagged = {
    name: 'all-stages',
    kind: 'reports',
    scope: { tags: { tier: 'stage' } },
    every: 'P2D',
    owner: 'team b',
  };
  await sent(acme, 'PUT', '/expectations/ORG', tagged);
  await sent(acme, 'PUT', '/expectations/ORG', { ...tagged, grace: 'PT2H', severity: 'critical' });
  await sent(acme, 'POST', '/expectations/ORG/all-stages/archive', null);
  const key = { kind: 'public-key', public_key: PUBLIC_KEY };
  await sent(acme, 'PUT', '/trust-roots/ORG/old-key', key);
  await sent(acme, 'PUT', '/trust-roots/ORG/old-key', { ...key, description: 'of the old pipeline' });
  await sent(acme, 'PUT', '/signers/ORG/old', { trust_root: 'old-key' });
  await sent(acme, 'PUT', '/signers/ORG/old', { trust_root: 'old-key', description: 'the old pipeline' });
  const pipeline = {
    issuer: 'https://token.actions.githubusercontent.com',
    claims: { source_repository_identifier: '74' },
  };
  await sent(acme, 'PUT', '/signers/ORG/pipeline', { trust_root: 'sigstore-public', ...pipeline });
  const leak = { run: 'https://ci.example/runs/7', reason: 'a token leaked' };
  await sent(acme, 'PUT', '/recalls/ORG/leak', leak);
  await sent(acme, 'PUT', '/recalls/ORG/leak', { ...leak, from: 1, until: 2 });
  await sent(acme, 'PUT', '/recalls/ORG/old-leak', { signer: 'old', reason: 'the key leaked' });
  await sent(acme, 'DELETE', '/recalls/ORG/old-leak', null);
  await sent(acme, 'DELETE', '/signers/ORG/old', null);
  await sent(acme, 'DELETE', '/trust-roots/ORG/old-key', null);
  const tests = {
    name: 'tests',
    kind: 'evidence',
    scope: { flows: ['api'] },
    evidence: { name: 'tests' },
    every: 'P90D',
  };
  await sent(acme, 'PUT', '/expectations/ORG', tests);
  await sent(acme, 'PATCH', '/tags/ORG/flow/api', { set_tags: { team: 'b' } });
  const { repos } = (await acme.get(`/repos/${acme.org}`)).json as { repos: Json[] };
  for (const { id } of repos) await sent(acme, 'PATCH', `/tags/ORG/repo/${id}`, { set_tags: { team: String(id) } });
  await sent(acme, 'POST', '/service-accounts/ORG', { name: 'deploy', privilege: 'reader' });
  await sent(acme, 'POST', '/service-accounts/ORG/deploy/api-keys', { description: 'of the deployment' });
  const trust = { service_account: 'deploy', preset: 'github', audience: 'y', claims: { repository_id: '75' } };
  await sent(acme, 'PUT', '/trusts/ORG/deployment', trust);
}

/** Two finished evaluations, one of them with a decision about a control, and one that is pending. */
async function evaluations(api: TestApi, acme: ForgedOrganization): Promise<void> {
  const about = (flow: string, trail: string): Json => ({
    context: { trails: [{ flow, trail }] },
    policy: { files: { 'policy.rego': POLICY } },
    params: { threshold: trail },
  });
  const decision = { control: 'SOX-1', flow: 'web', trail: 'run' };
  for (const body of [about('api', 'second'), { ...about('web', 'run'), decision }]) {
    const { id } = await sent(acme, 'POST', '/evaluations/ORG', body);
    expect(await processEvaluation(api.services, acme.id, String(id))).toBe('completed');
  }
}

/** Deliveries of two actions: one to a target that works, one to a target that fails. */
async function deliveries(api: TestApi, acme: ForgedOrganization): Promise<void> {
  const receiver = await startReceiver();
  receiver.answer = ({ path }) => ({ status: path.startsWith('/fails') ? 500 : 200 });
  for (const path of ['works', 'fails']) {
    await sent(acme, 'PUT', '/actions/ORG/flows', {
      name: path,
      type: 'flow',
      flows: ['api'],
      triggers: ['ON_ATTESTATION'],
      targets: [{ type: 'WEBHOOK', webhook: `${receiver.url}/${path}` }],
    });
  }
  await acme.attest('generic', { attestation_name: 'notified', is_compliant: true }, { flow: 'api', trail: 'second' });
  const { settle, take, services } = relayOf(api.services, acme.id);
  await settle();
  const notifier = {
    ...{ table: services.table, clock: services.clock, deliveries: services.deliveries },
    guard: addressGuard(['127.0.0.0/8']),
    mailer: { send: () => Promise.reject(new Error('The sample sends no mail')) },
    host: 'https://evidence.example',
  };
  // The first action of the organization has a target outside of this machine.
  const messages = take()
    .map(({ message }) => message)
    .filter(({ action }) => action > 1);
  await notify(queueEvent(messages), notifier, { health: new HealthWriter(), log: () => undefined });
  await settle();
  await receiver.stop();
}

/**
 * Erases one record of each kind that the operator can erase.
 *
 * @param files an export of the organization, which names the records
 */
export async function eraseOfEachKind(
  api: TestApi,
  acme: ForgedOrganization,
  files: ReadonlyMap<string, Buffer>,
): Promise<void> {
  api.services.clock.advance(2 * MINUTE);
  const place = { flow: 'api', trail: 'second' };
  const idOf = (family: string, fits: (record: Json) => boolean) =>
    recordsOf(new Map(files), family).find(fits)?.['id'];
  for (const subject of [
    { kind: 'attachment', id: idOf('attestations', ({ name }) => name === 'audit'), file: 'attachment_file' },
    { kind: 'attestation', id: idOf('attestations', ({ name }) => name === 'extra') },
    { kind: 'artifact', id: idOf('artifacts', ({ name }) => name === 'app-second') },
    { kind: 'trail', ...place },
    { kind: 'moment', ...place, number: 1 },
    { kind: 'flow', flow: 'web' },
    { kind: 'evaluation', id: idOf('evaluations', ({ status }) => status === 'completed') },
    { kind: 'statement', id: idOf('statements', () => true) },
    { kind: 'audit-entry', id: idOf('audit', ({ kind }) => String(kind).startsWith('policy')) },
  ]) {
    const command = { command: 'erase-body', organization: acme.org, reason: 'a secret', ...subject };
    expect(await runOperator(api.services, command), JSON.stringify(subject)).toMatchObject({ ok: true });
  }
}

/** Writes one record of most kinds. Their entries are in no log yet. */
export async function writeLater(acme: ForgedOrganization): Promise<void> {
  await acme.begin({ description: 'late' }, { flow: 'api', trail: 'late' });
  await acme.attest('generic', { attestation_name: 'audit', is_compliant: false }, { flow: 'api', trail: 'late' });
  await acme.attest('generic', { attestation_name: 'audit', is_compliant: true }, { flow: 'api', trail: 'third' });
  await acme.report(anArtifact('late'), { flow: 'api', trail: 'late' });
  await acme.run('prod', onServer({ late: 'late' }));
  await acme.putPolicy('loose', policyText());
  await acme.allow('stage', 'late');
}
