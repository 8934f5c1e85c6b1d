import { describe, expect, it } from 'vitest';
import { listAuditEntries } from '#shared/organizations/list-audit-entries.ts';
import {
  aCommit,
  anArtifact,
  type EvidenceOfOrganization,
  fingerprintOf,
  newOrganization,
} from '#test/support/evidence.ts';
import { newAction, webhookTarget } from '#test/support/records/notified.ts';
import { relayOf } from '#test/support/relay.ts';
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
  momentsOf,
  SECRET,
  withCheck,
} from './erasing.ts';

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
