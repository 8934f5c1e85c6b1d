import { describe, expect, it } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { auditGroup } from '#functions/audit/endpoints.ts';
import { buildsGroup } from '#functions/builds/endpoints.ts';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { searchGroup } from '#functions/search/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import type { AttestationId } from '#shared/base/ids.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import { bodyKey, bodyUseKey } from '#shared/bodies/keys.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { readAttestation } from '#shared/evidence/records/attestation-records.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { type Moment, stateAsOf } from '#shared/evidence/records/moments.ts';
import { listAuditEntries } from '#shared/organizations/list-audit-entries.ts';
import { testApi } from '#test/support/api.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import {
  aCommit,
  anArtifact,
  type EvidenceOfOrganization,
  fingerprintOf,
  newOrganization,
} from '#test/support/evidence.ts';
import { testName } from '#test/support/ids.ts';
import { newAction, webhookTarget } from '#test/support/records/notified.ts';
import { relayOf } from '#test/support/relay.ts';
import { faultyTable } from '#test/support/table/faults.ts';
import { allMoments } from '#test/support/trails.ts';
import { traces } from './traces.ts';

const api = await testApi([
  ...[flowsGroup, trailsGroup, artifactsGroup, attestationsGroup, evaluationsGroup, auditGroup],
  ...[buildsGroup, searchGroup],
]);
const { table, objects, clock } = api.services;
const MINUTE = 60_000_000;
const SECRET = 'p4ssw0rd-of-the-registry';
const LARGE = `${SECRET} ${Array.from({ length: 900 }, (_, i) => sha256Hex(String(i))).join(' ')}`;
const ERASED = { at: expect.any(Number), reason: 'a secret was attached' };

type Fields = Record<string, unknown>;

/** Runs the command as the operator, a minute after the last report. */
async function erase(acme: EvidenceOfOrganization, fields: Fields, services = api.services) {
  clock.advance(2 * MINUTE);
  const command = { command: 'erase-body', organization: acme.org, reason: ERASED.reason, ...fields };
  return heldTo('operator', OPERATOR_USES, () => runOperator(services, command));
}

const found = (acme: EvidenceOfOrganization, ...texts: string[]) => traces(table, acme.id, texts);
const versionsOf = (acme: EvidenceOfOrganization, text: string) =>
  objects.versions('evidence', acme.id, sha256Hex(text));

/** Folds the moments of the trail. The reader compares each of them with what was accepted. */
async function folded(acme: EvidenceOfOrganization): Promise<number> {
  return stateAsOf(await momentsOf(acme)).number;
}

async function momentsOf(acme: EvidenceOfOrganization): Promise<Moment[]> {
  const flow = await findFlow(table, acme.id, testName('web'));
  if (!flow) throw new Error('The flow exists');
  return allMoments(table, acme.id, flow.id, 'run');
}

/** An organization with the attestation `check`. */
async function withCheck(fields: Fields = {}, files: Record<string, string> = {}) {
  const acme = await newOrganization(api);
  const id = await attested(acme, 'check', fields, files);
  return { acme, id };
}

async function attested(
  acme: EvidenceOfOrganization,
  name: string,
  fields: Fields,
  files: Record<string, string> = {},
) {
  const { status, text } = await acme.attest('generic', { attestation_name: name, ...fields }, { files });
  expect(status, text).toBe(201);
  const [record] = await acme.named(name);
  return String(record?.['attestation_id']) as AttestationId;
}

const auditOf = async (acme: EvidenceOfOrganization) => {
  const { json } = await acme.get(`/audit/${acme.org}`, 'kind=evidence');
  return (json as { entries: Fields[] }).entries;
};

/** The commitments that the audit entries of all erasures name. */
async function removedOf(acme: EvidenceOfOrganization) {
  const { entries } = await listAuditEntries(
    api.services,
    acme.id,
    { kind: 'evidence' },
    { after: undefined, limit: 100 },
  );
  return Object.assign({}, ...entries.map((entry) => ('removed' in entry ? entry.removed : {})));
}

describe('erase-body of an attachment', () => {
  it('removes file, digest and use, and readers say when and why', async () => {
    const { acme, id } = await withCheck({}, { attachment_file: SECRET });
    const before = await acme.trail();
    const path = `/attestations/${acme.org}/${id}/attachments`;
    expect(await versionsOf(acme, SECRET)).toHaveLength(1);
    const done = await erase(acme, { kind: 'attachment', id, file: 'attachment_file' });
    expect(done).toMatchObject({ ok: true, message: 'Erased one record', removed_versions: 1 });
    expect(await versionsOf(acme, SECRET)).toEqual([]);
    expect(await found(acme, SECRET)).toEqual([]);
    const file = { filename: 'attachment_file', size: SECRET.length, sha256: null, erased: ERASED };
    expect((await acme.get(path)).json).toMatchObject([{ ...file, download_url: null, expires_at: null }]);
    expect(await acme.named('check')).toMatchObject([{ attachments: [file], has_audit_package: true }]);
    const { status, json } = await acme.get(`${path}/0`);
    expect([status, json]).toEqual([
      410,
      { message: expect.stringMatching(/^This attachment was erased at 20\d\d-.*Z: a secret was attached$/) },
    ]);
    expect(await acme.trail()).toEqual(before);
    expect(await folded(acme)).toBeGreaterThan(0);
    expect(await auditOf(acme)).toMatchObject([
      {
        kind: 'evidence.erased',
        actor: { kind: 'operator' },
        subject: { type: 'attachment', id, name: `attachments 0 of attestation ${id}` },
        before: null,
        after: { reason: ERASED.reason },
        hash: expect.stringMatching(/^[a-f0-9]{64}$/),
      },
    ]);
    const again = await erase(acme, { kind: 'attachment', id, file: 'attachment_file' });
    expect(again).toMatchObject({ ok: true, message: 'Nothing was left to erase in the table', removed_versions: 0 });
    expect(await auditOf(acme)).toHaveLength(1);
  });

  it('is refused while other records use the content, unless all uses are meant', async () => {
    const { acme, id } = await withCheck({}, { attachment_file: SECRET });
    const other = await attested(acme, 'other', {}, { attachment_file: SECRET });
    const command = { kind: 'attachment', id, file: 'attachment_file' };
    expect(await erase(acme, command)).toEqual({
      ok: false,
      message: `Other records use the same content: ${other}. To erase it in all of them, give --all-uses`,
    });
    expect(await versionsOf(acme, SECRET)).toHaveLength(1);
    expect(await erase(acme, { ...command, all_uses: true })).toMatchObject({ ok: true, removed_versions: 1 });
    expect(await found(acme, SECRET)).toEqual([]);
  });

  it('is refused within a minute after the content was stored, because a running request could still use it', async () => {
    const { acme, id } = await withCheck({}, { attachment_file: SECRET });
    const now = { now: () => Date.now() * 1000 };
    const command = { command: 'erase-body', organization: acme.org, reason: 'r', kind: 'attachment', id };
    expect(await runOperator({ ...api.services, clock: now }, { ...command, file: 'attachment_file' })).toEqual({
      ok: false,
      message: 'The content was stored less than a minute ago. Repeat the command in a minute',
    });
  });
});

describe('erase-body of an attestation', () => {
  const POLICY = `package policy
default allow := false
violations contains v if v := input.trail.compliance_status.attestations_statuses.check.user_data.note
`;

  const decisions = async (acme: EvidenceOfOrganization) =>
    ((await acme.get(`/attestations/${acme.org}`, 'attestation_type=decision')).json as { data: Fields[] }).data;

  it.each([
    ['in the table', SECRET],
    ['in the bucket', LARGE],
  ])('removes the facts that lie %s, and the evaluations and decisions that copied them', async (_, note) => {
    const { acme, id } = await withCheck({ user_data: { note }, git_commit_info: aCommit('c', { message: SECRET }) });
    const decision = { control: 'C.1', flow: 'web', trail: 'run' };
    const request = {
      context: { trails: [{ flow: 'web', trail: 'run' }] },
      policy: { files: { 'policy.rego': POLICY } },
      params: {},
      decision,
    };
    const asked = await acme.call('POST', `/evaluations/${acme.org}`, { json: request, key: acme.keys.member });
    const evaluation = String((asked.json as Fields)['id']);
    expect(await processEvaluation(api.services, acme.id, evaluation)).toBe('completed');
    const path = `/evaluations/${acme.org}/${evaluation}`;
    expect((await acme.get(path)).json).toMatchObject({ result: { allow: false, violations: [note] } });
    const record = await readAttestation(table, acme.id, id);
    const [digest, salt] = [record?.facts.digest, record?.facts.salt].map((bytes) =>
      Buffer.from(bytes ?? []).toString('hex'),
    );
    const [decided] = await decisions(acme);
    const report = (decided?.['attachments'] ?? []) as Fields[];
    const before = (await acme.trail()).compliance_status;
    expect(await found(acme, SECRET)).not.toEqual([]);

    expect(await erase(acme, { kind: 'attestation', id })).toMatchObject({ ok: true, message: 'Erased 4 records' });
    expect(await found(acme, SECRET, digest ?? '', salt ?? '')).toEqual([]);
    expect(await objects.versions('bodies', acme.id, digest ?? '')).toEqual([]);
    expect(await objects.versions('evidence', acme.id, String(report[1]?.['sha256']))).toEqual([]);
    expect(await acme.named('check')).toMatchObject([{ user_data: {}, git_commit_info: null, erased: ERASED }]);
    expect(await decisions(acme)).toMatchObject([
      { erased: ERASED, attachments: [{ filename: 'policy.json' }, { filename: 'evaluation.json', erased: ERASED }] },
    ]);
    expect((await acme.get(path)).json).toMatchObject({
      status: 'completed',
      result: null,
      proof: { params_sha256: null, input_sha256: null },
      erased: ERASED,
    });
    expect((await acme.call('POST', `${path}/replay`, { key: acme.keys.member })).status).toBe(400);
    const listed = await acme.get(`/attestations/${acme.org}`);
    expect(listed).toMatchObject({ status: 200, json: { pagination: { total: 2 } } });
    const { compliance_status: after, events } = await acme.trail();
    expect(after).toEqual(before);
    expect(events.filter(({ erased }) => erased)).toMatchObject([{ attestation_id: id, git_commit_info: null }]);
    expect(await folded(acme)).toBeGreaterThan(0);
  });

  it('keeps a commit that other reports of the trail named as well', async () => {
    const commit = aCommit('c', { message: 'kept' });
    const { acme, id } = await withCheck({ user_data: SECRET, git_commit_info: commit });
    await attested(acme, 'other', { git_commit_info: commit });
    expect(await erase(acme, { kind: 'attestation', id })).toMatchObject({ ok: true });
    const { events } = await acme.trail();
    expect(events.map(({ git_commit_info: info }) => (info as Fields | null)?.['message'])).toEqual([
      ...[undefined, 'kept', 'kept'],
    ]);
    expect(await found(acme, SECRET)).toEqual([]);
  });

  it.each([
    [
      'a policy',
      (acme: EvidenceOfOrganization, digest: string) => bodyUseKey(acme.id, digest, 'policy:1'),
      'policy:1, which no command erases',
    ],
    [
      'a template',
      (acme: EvidenceOfOrganization, digest: string) => bodyKey(acme.id, digest),
      'Templates cannot be erased',
    ],
  ])('is refused if the text is also the text of %s', async (_, key, message) => {
    const { acme, id } = await withCheck({ user_data: LARGE });
    const digest = Buffer.from((await readAttestation(table, acme.id, id))?.facts.digest ?? []).toString('hex');
    await table.put({ ...key(acme, digest), v: 1 });
    const refused = await erase(acme, { kind: 'attestation', id, all_uses: true });
    expect(refused).toEqual({ ok: false, message: expect.stringContaining(message) });
    expect(await objects.versions('bodies', acme.id, digest)).toHaveLength(1);
  });

  it('leaves nothing behind if it is interrupted at any write and repeated', async () => {
    for (let survived = 0, isDone = false; !isDone; survived += 1) {
      const { acme, id } = await withCheck({ user_data: LARGE }, { attachment_file: SECRET });
      const digest = Buffer.from((await readAttestation(table, acme.id, id))?.facts.digest ?? []).toString('hex');
      const broken = faultyTable(table, ({ command, before }) =>
        command === 'TransactWrite' && before === survived ? 'timeout-before' : undefined,
      );
      const interrupted = await erase(acme, { kind: 'attestation', id }, { ...api.services, table: broken }).then(
        () => false,
        () => true,
      );
      isDone = !interrupted;
      expect(await acme.named('check')).toHaveLength(1);
      expect(await erase(acme, { kind: 'attestation', id })).toMatchObject({ ok: true });
      expect(await found(acme, digest)).toEqual([]);
      expect(await objects.versions('bodies', acme.id, digest)).toEqual([]);
      expect(await auditOf(acme)).toHaveLength(1);
      expect(survived).toBeLessThan(5);
    }
  });
});

describe('erase-body of a trail', () => {
  it('removes every version of its own fields, its commits and their digests, and reports go on', async () => {
    const acme = await newOrganization(api);
    const commit = aCommit('c', { author: SECRET });
    await acme.begin({ description: SECRET, git_commit_info: commit });
    await acme.begin({ description: 'second', user_data: { LARGE } });
    await attested(acme, 'check', { is_compliant: true });
    const moments = await momentsOf(acme);
    const digests = moments.flatMap(({ content }) => [content.fields ?? '', content.commit ?? '']).filter(Boolean);
    expect(await erase(acme, { kind: 'trail', flow: 'web', trail: 'run' })).toMatchObject({
      ok: true,
      removed_versions: 1,
    });
    expect(await found(acme, SECRET, ...digests)).toEqual([]);
    const trail = await acme.trail();
    expect(trail).toMatchObject({ description: '', user_data: {}, git_commit_info: null, erased: ERASED });
    expect(trail).toMatchObject({ compliance_state: 'COMPLIANT' });
    expect(trail.events).toMatchObject([{ erased: ERASED }, { erased: ERASED }, { erased: ERASED }]);
    expect((await acme.get(`/trails/${acme.org}`)).json).toMatchObject({ data: [{ name: 'run', erased: ERASED }] });
    expect((await acme.begin({ description: 'new', git_commit_info: commit })).status).toBe(200);
    expect(await acme.trail()).toMatchObject({ description: 'new', git_commit_info: { author: SECRET } });
    expect(await acme.trail()).not.toHaveProperty('erased');
    expect(await folded(acme)).toBeGreaterThan(0);
  });

  it('makes a writer that read the trail before the erasure read again', async () => {
    const acme = await newOrganization(api);
    await acme.begin({ description: SECRET });
    const [answers] = await Promise.all([
      Promise.all([1, 2, 3].map((n) => acme.begin({ user_data: { n } }))),
      erase(acme, { kind: 'trail', flow: 'web', trail: 'run' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await acme.get(`/trails/${acme.org}/web/run`)).status).toBe(200);
    expect(await folded(acme)).toBeGreaterThan(0);
  });
});

describe('erase-body of other records', () => {
  it('removes the details of a moment, and keeps what verdicts need', async () => {
    const { acme } = await withCheck({ is_compliant: true });
    const before = await acme.trail();
    expect(await erase(acme, { kind: 'moment', flow: 'web', trail: 'run', number: 2 })).toMatchObject({ ok: true });
    const after = await acme.trail();
    expect(after).toEqual({ ...before, events: [before.events[0], { ...before.events[1], erased: ERASED }] });
    const [, moment] = await momentsOf(acme);
    expect(moment).not.toHaveProperty('detailsSalt');
    expect(moment).toMatchObject({ content: { by: { name: '' }, changes: [{ name: 'check' }] } });
    expect(await folded(acme)).toBeGreaterThan(0);
  });

  it('removes the description of a flow from the flow and from the audit log, and keeps the other facts', async () => {
    const acme = await newOrganization(api);
    await acme.call('PUT', `/flows/${acme.org}`, { json: { name: 'web', description: SECRET } });
    const entries = async () =>
      ((await acme.get(`/audit/${acme.org}`, 'kind=flow')).json as { entries: Fields[] }).entries;
    const [before] = await entries();
    expect(await erase(acme, { kind: 'flow', flow: 'web' })).toMatchObject({ ok: true, message: 'Erased 2 records' });
    expect(await found(acme, SECRET)).toEqual([]);
    expect((await acme.get(`/flows/${acme.org}/web`)).json).toMatchObject({
      name: 'web',
      description: '',
      erased: ERASED,
    });
    expect(await entries()).toEqual([{ ...before, before: null, after: null, erased: ERASED }]);
    expect(await removedOf(acme)).toEqual({ [String(before?.['hash'])]: ['values'] });
    await acme.call('PUT', `/flows/${acme.org}`, { json: { name: 'web', description: 'harmless' } });
    expect((await acme.get(`/flows/${acme.org}/web`)).json).not.toHaveProperty('erased');
  });

  it('removes what a report of an artifact said from record, event and deliveries', async () => {
    const acme = await newOrganization(api);
    await newAction(api.services, acme.id, [webhookTarget('https://one.example/hook')]);
    const { json } = await acme.report(anArtifact('cli', { filename: SECRET, description: SECRET }));
    expect(json).toBe('OK');
    await relayOf(api.services, acme.id).settle();
    const path = `/artifacts/${acme.org}/web/fingerprint/${fingerprintOf('cli')}`;
    const id = String(((await acme.get(path)).json as Fields)['artifact_id']);
    expect(await erase(acme, { kind: 'artifact', id })).toMatchObject({ ok: true, message: 'Erased 2 records' });
    expect(await found(acme, SECRET)).toEqual([]);
    expect((await acme.get(path)).json).toMatchObject({ filename: '', description: '', erased: ERASED });
    expect((await acme.trail()).events.at(-1)).toMatchObject({ artifact_name: '', erased: ERASED });
    const builds = (await acme.get(`/builds/${acme.org}`)).json as { builds: Fields[] };
    expect(builds.builds).toMatchObject([{ fingerprint: fingerprintOf('cli'), filename: '', erased: ERASED }]);
    const search = (await acme.get(`/search/${acme.org}/sha/${fingerprintOf('cli')}`)).json as { artifacts: Fields[] };
    expect(search.artifacts).toMatchObject([{ fingerprint: fingerprintOf('cli'), build_url: '', erased: ERASED }]);
    expect(await folded(acme)).toBeGreaterThan(0);
  });

  let refusing: ReturnType<typeof withCheck> | undefined;

  it.each([
    [{ kind: 'template' }, 'kind: '],
    [{ kind: 'attestation' }, 'The kind attestation needs the fields id, and no others'],
    [{ kind: 'attestation', id: 'x', flow: 'web' }, 'The kind attestation needs the fields id, and no others'],
    [{ kind: 'attestation', id: 'x' }, 'There is no such record in the organization'],
    [{ kind: 'attachment', id: '01a1fb86-d189-9eec-4784-41f2f629', file: 'f' }, 'There is no such record'],
    [{ kind: 'evaluation', id: 'x' }, 'There is no such record'],
    [{ kind: 'artifact', id: 'x' }, 'There is no such record'],
    [{ kind: 'audit-entry', id: '01a1fb86-d189-9eec-4784-41f2f629' }, 'There is no such record'],
    [{ kind: 'trail', flow: 'nowhere', trail: 'run' }, "There is no flow 'nowhere'"],
    [{ kind: 'moment', flow: 'web', trail: 'run', number: 9 }, 'There is no such record'],
    [{ kind: 'flow', flow: 'web', reason: ' ' }, 'reason: '],
    [{ kind: 'flow', flow: 'web', organization: 'nowhere' }, "There is no organization 'nowhere'"],
  ])('refuses %j', async (fields, message) => {
    refusing ??= withCheck();
    const { acme } = await refusing;
    expect(await erase(acme, fields)).toEqual({ ok: false, message: expect.stringContaining(message) });
    expect(await auditOf(acme)).toEqual([]);
  });
});
