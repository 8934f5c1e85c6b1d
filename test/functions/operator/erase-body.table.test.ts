import { describe, expect, it } from 'vitest';
import { runOperator } from '#functions/operator/run-operator.ts';
import { fromMillis } from '#shared/base/time.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import { bodyKey, bodyUseKey } from '#shared/bodies/keys.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { readAttestation } from '#shared/evidence/records/attestation-records.ts';
import { aCommit, type EvidenceOfOrganization } from '#test/support/evidence.ts';
import { faultyTable } from '#test/support/table/faults.ts';
import {
  api,
  attested,
  auditOf,
  ERASED,
  erase,
  type Fields,
  folded,
  found,
  LARGE,
  objects,
  SECRET,
  table,
  withCheck,
} from './erasing.ts';

const versionsOf = (acme: EvidenceOfOrganization, text: string) =>
  objects.versions('evidence', acme.id, sha256Hex(text));

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
    expect((await acme.get(`${path}/0/preview`)).status).toBe(410);
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
    const now = { now: () => fromMillis(Date.now()) };
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
