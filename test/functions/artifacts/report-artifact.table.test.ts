import { describe, expect, it } from 'vitest';
import { readFlowPresences } from '#shared/evidence/records/artifact-records.ts';
import { readOlderTrails } from '#shared/evidence/records/artifact-trails.ts';
import { describeAccess } from '#test/support/access.ts';
import {
  aCommit,
  anArtifact,
  aRepo,
  evidenceApi,
  fingerprintOf,
  invalidFields,
  newOrganization,
  OK,
  refusal,
  shaOf,
} from '#test/support/evidence.ts';
import { tableAround } from '#test/support/table/faults.ts';

const api = await evidenceApi();
/** One organization for refusals: each of them must leave it as it was. */
const refusing = await newOrganization(api);
const untouched = await refusing.stored();

/** A report in the form that old clients send: it names no trail and no template reference. */
const legacy = (overrides: Record<string, unknown> = {}) => ({
  fingerprint: fingerprintOf('cli'),
  filename: 'registry.example/team/app:1.2',
  git_commit: shaOf('c'),
  build_url: 'https://ci.example/1',
  commit_url: 'https://git.example/1',
  repo_url: 'https://git.example',
  commits_list: null,
  ...overrides,
});

describe('POST /artifacts/{org}/{flow_name}', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/artifacts/${org}/web`,
    request: { json: anArtifact('cli') },
    needs: 'member',
  });

  it('creates a missing flow and trail, with two moments', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme.report(anArtifact('cli')))).toEqual(OK);
    const { events, compliance_status: status } = await acme.trail();
    expect(events.map(({ type }) => type)).toEqual(['trail_reported', 'artifact_creation_reported']);
    expect(Object.keys(status.artifacts_statuses)).toEqual(['cli']);
  });

  it('accepts the reports of old clients, and chooses the names of trail and artifact', async () => {
    const acme = await newOrganization(api);
    expect((await acme.report(legacy())).status).toBe(201);
    const byCommit = await acme.trail({ trail: shaOf('c') });
    expect(Object.keys(byCommit.compliance_status.artifacts_statuses)).toEqual(['app']);
    await acme.putFlow('one', 'trail:\n  artifacts:\n    - {name: only, attestations: []}');
    await acme.report(legacy(), { flow: 'one' });
    const { artifacts_statuses: artifacts } = (await acme.trail({ flow: 'one', trail: shaOf('c') })).compliance_status;
    expect(artifacts).toMatchObject({ only: { status: 'COMPLIANT', unexpected: false } });
  });

  it('accepts the commit in git_commit_info only, a list of commits, nulls and unknown fields', async () => {
    const acme = await newOrganization(api);
    const { git_commit: _, ...withoutSha } = anArtifact('cli');
    expect((await acme.report(withoutSha)).status).toBe(201);
    const nulls = Object.fromEntries(
      ['repo_info', 'external_urls', 'annotations', 'description', 'template', 'is_compliant', 'trail_name'].map(
        (name) => [name, null],
      ),
    );
    const commits = [aCommit('c', { parents: [shaOf('b')] })];
    expect((await acme.report({ ...anArtifact('cli'), ...nulls, commits_list: commits, newer: 1 })).status).toBe(201);
  });

  it('makes an artifact non-compliant if its report says so, until a later report does not', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli', { is_compliant: false }));
    expect(await acme.trail()).toMatchObject({
      compliance_state: 'NON-COMPLIANT',
      compliance_status: { artifacts_statuses: { cli: { status: 'NON-COMPLIANT', is_compliant: false } } },
    });
    await acme.report(anArtifact('cli', { is_compliant: true }));
    expect((await acme.trail()).compliance_state).toBe('COMPLIANT');
  });

  it('turns the legacy list of controls into requirements if the flow has no template', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli', { template: 'artifact, unit-test' }));
    const entries = async (flow = 'web') =>
      (await acme.trail({ flow })).compliance_status.artifacts_statuses['cli']?.attestations_statuses.map(
        ({ attestation_name: name, attestation_type: type, status }) => [name, type, status].join(' '),
      );
    expect(await entries()).toEqual(['unit-test * MISSING']);
    expect((await acme.trail()).compliance_state).toBe('INCOMPLETE');
    await acme.report(anArtifact('cli', { template: ['artifact', 'unit-test', 'scan'] }));
    expect(await entries()).toEqual(['unit-test * MISSING', 'scan * MISSING']);
    await acme.putFlow('strict', 'trail:\n  artifacts:\n    - {name: cli, attestations: [{name: own, type: junit}]}');
    await acme.report(anArtifact('cli', { template: 'unit-test' }), { flow: 'strict' });
    expect(await entries('strict')).toEqual(['own junit MISSING']);
    await acme.begin({}, { flow: 'given', template: 'version: 1' });
    await acme.report(anArtifact('cli', { template: 'unit-test' }), { flow: 'given' });
    expect(await entries('given')).toEqual([]);
  });

  it('registers the repository once, and adds it to the trail', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli', { repo_info: aRepo({ provider: 'bitbucket_cloud' }) }));
    await acme.report(anArtifact('lib', { repo_info: aRepo({ provider: 'bitbucket' }) }));
    const { repo_ids: ids, events } = await acme.trail();
    expect(ids).toHaveLength(1);
    expect(events[1]).toMatchObject({ repo_info: { inner_id: ids[0], provider: 'bitbucket_cloud' } });
  });

  it.each([
    ['fingerprint', 'ABC', "String should match pattern '^[a-f0-9]{64}$' [input: ABC]"],
    ['fingerprint', undefined, 'Field required [input: None]'],
    ['filename', '', expect.stringContaining('at least 1 character')],
    ['filename', '...', expect.stringContaining('String should match pattern')],
    ['filename', 'n'.repeat(1024 * 1024), expect.stringContaining('at most 1024 characters')],
    ['filename', 7, 'Input should be a valid string [input: 7]'],
    ['git_commit', 'abc', "String should match pattern '^[a-f0-9]{40}$' [input: abc]"],
    ['build_url', 'ftp://x', 'Input should be a valid URL [input: ftp://x]'],
    ['build_url', undefined, 'Field required [input: None]'],
    ['commit_url', 'not a url', 'Input should be a valid URL [input: not a url]'],
    ['commit_url', 'http:///path', expect.anything()],
    ['trail_name', 'a/b', expect.stringContaining('[input: a/b]')],
    ['trail_name', '..', expect.stringContaining('[input: ..]')],
    ['trail_name', 'n'.repeat(10_000), expect.stringContaining('at most 255 characters')],
    ['template_reference_name', 'a.b', String.raw`String should match pattern '^[a-zA-Z0-9\-_]+$' [input: a.b]`],
    ['template_reference_name', 'a#b', expect.stringContaining('[input: a#b]')],
    ['is_compliant', 'yes', 'Input should be a valid boolean, unable to interpret input [input: yes]'],
    ['annotations', [], 'Input should be a valid dictionary [input: []]'],
    ['external_urls', 'x', 'Input should be a valid dictionary [input: x]'],
    ['commits_list', {}, 'Input should be a valid list [input: {}]'],
    ['repo_info', { id: 'x'.repeat(300), name: 'n', url: 'u' }, undefined],
  ])('refuses %s as %j', async (field, value, text) => {
    const answer = await refusing.report(anArtifact('cli', { [field]: value }));
    expect(answer).toMatchObject({ status: 400, json: { message: 'Input payload validation failed' } });
    if (text !== undefined) expect(refusal(answer)).toEqual(invalidFields({ [field]: text }));
    expect(await refusing.stored()).toEqual(untouched);
  });

  it('names nested fields by their path, with the wrong value', async () => {
    const answer = await refusing.report(
      anArtifact('cli', {
        external_urls: { jira: { href: 'https://x.example', fingerprint: 'bad-print' } },
        annotations: { 'a-b': 'x', ok: 1 },
        git_commit_info: { ...aCommit(), sha1: 'zz' },
        commits_list: [aCommit(), { sha1: 'zz' }],
      }),
    );
    expect(answer).toMatchObject({
      status: 400,
      json: {
        errors: {
          'external_urls.jira.fingerprint': "String should match pattern '^[a-f0-9]{64}$' [input: bad-print]",
          'annotations.a-b': expect.stringContaining("'^[A-Za-z0-9_]+$'"),
          'annotations.ok': 'Input should be a valid string [input: 1]',
          'git_commit_info.sha1': expect.stringContaining('[input: zz]'),
          'commits_list[1].sha1': expect.stringContaining('[input: zz]'),
        },
      },
    });
  });

  it('refuses a report without any commit', async () => {
    const { git_commit: _, git_commit_info: __, ...report } = anArtifact('cli');
    expect(refusal(await refusing.report(report))).toEqual(
      invalidFields({ git_commit: 'Field required [input: None]' }),
    );
  });

  it('repeats the first answer for the same Idempotency-Key, and makes one record', async () => {
    const acme = await newOrganization(api);
    const once = (fields: Record<string, unknown>) =>
      acme.report(fields, { request: { headers: { 'idempotency-key': 'once' } } });
    const answers = await Promise.all([1, 2, 3].map(() => once(anArtifact('cli'))));
    expect(answers.map(refusal)).toEqual([OK, OK, OK]);
    expect(refusal(await once(anArtifact('cli')))).toEqual(OK);
    expect((await once(anArtifact('lib'))).status).toBe(400);
    expect((await acme.trail()).events).toHaveLength(2);
    expect((await acme.get(`/artifacts/${acme.org}`)).json).toHaveLength(1);
  });

  it('makes one flow, one trail and one build if ten reports come at the same time', async () => {
    const acme = await newOrganization(api);
    const answers = await Promise.all(Array.from({ length: 10 }, () => acme.report(anArtifact('cli'))));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
    const { json } = await acme.get(`/trails/${acme.org}`, `fingerprint=${fingerprintOf('cli')}`);
    expect(json).toMatchObject({ pagination: { total: 1 } });
    expect((await acme.get(`/flows/${acme.org}`)).json).toHaveLength(1);
    expect((await acme.get(`/trails/${acme.org}`)).json).toMatchObject({ pagination: { total: 1 } });
    expect((await acme.stored()).filter((item) => item.includes('SERIES#builds'))).toHaveLength(1);
    expect((await acme.trail()).events).toHaveLength(11);
  });

  it('keeps the trails of concurrent reports of one fingerprint in the order of their commits', async () => {
    const acme = await newOrganization(api);
    await acme.putFlow('web');
    // The first report of a fingerprint in the organization also contends for the build, so another flow makes it.
    await acme.report(anArtifact('cli'), { flow: 'lib' });
    const { table: sound } = api.services;
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    api.services.table = tableAround(sound, async ({ command, before }, send) => {
      if (command === 'TransactWrite' && before === 0) {
        reached.resolve();
        await released.promise;
      }
      return send();
    });
    try {
      const slow = acme.report(anArtifact('cli'), { trail: 'slow' });
      await reached.promise;
      expect((await acme.report(anArtifact('cli'), { trail: 'fast' })).status).toBe(201);
      released.resolve();
      expect((await slow).status).toBe(201);
    } finally {
      api.services.table = sound;
    }
    const fingerprint = fingerprintOf('cli');
    const presences = await readFlowPresences(sound, acme.id, fingerprint);
    expect(presences).toMatchObject([{ trail: 'run' }, { trail: 'slow' }]);
    expect(presences[1]?.first).toBeLessThan(presences[1]?.at ?? 0);
    const trails = await readOlderTrails(sound, acme.id, fingerprint, presences, 100);
    expect(trails.map(({ trail }) => trail)).toEqual(['slow', 'fast']);
  });
});
