import { describe, expect, it } from 'vitest';
import {
  aCommit,
  anArtifact,
  evidenceApi,
  fingerprintOf,
  newOrganization,
  type StatusJson,
  shaOf,
} from '#test/support/evidence.ts';

const api = await evidenceApi();
const TEMPLATE = `version: 1
trail:
  attestations:
    - {name: bar, type: generic}
  artifacts:
    - name: cli
      attestations:
        - {name: foo, type: generic}
`;
/** Each entry as `name status verdict`, with a question mark after the name of an unexpected entry. */
const summarize = (entries: readonly StatusJson[] = []) =>
  entries.map(({ attestation_name: name, status, is_compliant: compliant, unexpected }) =>
    [name + (unexpected ? '?' : ''), status, compliant].join(' '),
  );

/** The cases of rules/trails.md#worked-cases, through HTTP. */
describe('the verdict of GET /trails/{org}/{flow}/{trail}', () => {
  it('is INCOMPLETE without reports and while attestations are missing, and NON-COMPLIANT after a false attestation', async () => {
    const acme = await newOrganization(api);
    await acme.putFlow(
      'web',
      TEMPLATE.replace(
        '- {name: foo, type: generic}',
        '- {name: foo, type: generic}\n        - {name: baz, type: generic}\n        - {name: qux, type: junit}',
      ),
    );
    await acme.begin({});
    const nothing = await acme.trail();
    expect(nothing.compliance_state).toBe('INCOMPLETE');
    expect(nothing.compliance_status.artifacts_statuses).toEqual({
      cli: {
        artifact_fingerprint: null,
        artifact_id: null,
        status: 'MISSING',
        is_compliant: null,
        unexpected: false,
        attestations_statuses: expect.toSatisfy(
          (entries: StatusJson[]) => summarize(entries).join() === 'foo MISSING ,baz MISSING ,qux MISSING ',
        ),
      },
    });
    await acme.report(anArtifact('cli'));
    expect((await acme.trail()).compliance_status.artifacts_statuses['cli']).toMatchObject({ status: 'INCOMPLETE' });
    const about = { artifact_fingerprint: fingerprintOf('cli') };
    await acme.attest('generic', { attestation_name: 'foo', ...about });
    await acme.attest('generic', { attestation_name: 'extra', ...about });
    await acme.attest('generic', { attestation_name: 'baz', is_compliant: false, ...about });
    const trail = await acme.trail();
    expect(trail.compliance_state).toBe('NON-COMPLIANT');
    const cli = trail.compliance_status.artifacts_statuses['cli'];
    expect(cli?.status).toBe('NON-COMPLIANT');
    expect(summarize(cli?.attestations_statuses)).toEqual([
      'foo COMPLETE true',
      'baz COMPLETE false',
      'qux MISSING ',
      'extra? COMPLETE true',
    ]);
  });

  it('counts attestations that no template expects, good and bad', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'));
    await acme.attest('generic', { attestation_name: 'b', artifact_fingerprint: fingerprintOf('cli') });
    await acme.attest('generic', { attestation_name: 'a' });
    expect(await acme.trail()).toMatchObject({
      compliance_state: 'COMPLIANT',
      is_compliant: true,
      compliance_status: { artifacts_statuses: { cli: { status: 'COMPLIANT', unexpected: true } } },
    });
    await acme.attest('generic', {
      attestation_name: 'c',
      artifact_fingerprint: fingerprintOf('cli'),
      is_compliant: false,
    });
    expect(await acme.trail()).toMatchObject({
      compliance_state: 'NON-COMPLIANT',
      is_compliant: false,
      compliance_status: { artifacts_statuses: { cli: { status: 'NON-COMPLIANT' } } },
    });
  });

  it('binds an attestation to a named artifact of the same commit only, whether the artifact is reported before or after it', async () => {
    const acme = await newOrganization(api);
    await acme.begin({}, { template: TEMPLATE });
    const cli = async () =>
      summarize((await acme.trail()).compliance_status.artifacts_statuses['cli']?.attestations_statuses);
    const foo = (commit: string, compliant: boolean) =>
      acme.attest('generic', {
        attestation_name: 'foo',
        target_artifacts: ['cli'],
        git_commit_info: aCommit(commit),
        is_compliant: compliant,
      });
    await foo('c', true);
    expect(await cli()).toEqual(['foo MISSING ']);
    await acme.report(anArtifact('cli', { git_commit: shaOf('d'), git_commit_info: aCommit('d') }));
    expect(await cli()).toEqual(['foo MISSING ']);
    await acme.report(anArtifact('cli', { fingerprint: fingerprintOf('rebuilt') }));
    expect(await cli()).toEqual(['foo COMPLETE true']);
    await foo('c', false);
    expect(await cli()).toEqual(['foo COMPLETE false']);
    await acme.attest('generic', { attestation_name: 'foo', artifact_fingerprint: fingerprintOf('rebuilt') });
    expect(await cli()).toEqual(['foo COMPLETE true']);
    expect(await acme.named('foo')).toHaveLength(3);
  });

  it('shows a repeated artifact report with the newest id, and keeps its attestations', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'));
    await acme.attest('generic', { attestation_name: 'foo', artifact_fingerprint: fingerprintOf('cli') });
    const before = (await acme.trail()).compliance_status.artifacts_statuses['cli'];
    await acme.report(anArtifact('cli'));
    const { compliance_status: status, events } = await acme.trail();
    const after = status.artifacts_statuses['cli'];
    expect(after?.artifact_id).not.toBe(before?.artifact_id);
    expect(summarize(after?.attestations_statuses)).toEqual(['foo? COMPLETE true']);
    expect(events.filter(({ type }) => type === 'artifact_creation_reported')).toHaveLength(2);
  });

  it('shows the fingerprint that was reported last under a name, and judges each fingerprint', async () => {
    const acme = await newOrganization(api);
    await acme.report(anArtifact('cli'));
    await acme.attest('generic', {
      attestation_name: 'foo',
      artifact_fingerprint: fingerprintOf('cli'),
      is_compliant: false,
    });
    await acme.report(
      anArtifact('cli', { fingerprint: fingerprintOf('other'), git_commit: shaOf('d'), git_commit_info: aCommit('d') }),
    );
    const { compliance_status: status } = await acme.trail();
    expect(status.artifacts_statuses['cli']).toMatchObject({
      artifact_fingerprint: fingerprintOf('other'),
      status: 'COMPLIANT',
      attestations_statuses: [],
    });
    const states = await Promise.all(
      ['cli', 'other'].map((name) => acme.get(`/artifacts/${acme.org}/web/fingerprint/${fingerprintOf(name)}`)),
    );
    expect(states.map(({ json }) => (json as { state: string }).state)).toEqual(['NON-COMPLIANT', 'COMPLIANT']);
  });

  it('lists a report of another type directly before the slot that is still missing', async () => {
    const acme = await newOrganization(api);
    const template =
      'trail:\n  attestations:\n    - {name: a, type: generic}\n    - {name: b, type: junit}\n    - {name: any, type: "*"}';
    await acme.begin({}, { template });
    await acme.attest('generic', { attestation_name: 'b' });
    await acme.attest('generic', { attestation_name: 'z' });
    await acme.attest('generic', { attestation_name: 'any' });
    const { compliance_status: status } = await acme.trail();
    expect(summarize(status.attestations_statuses)).toEqual([
      'a MISSING ',
      'b? COMPLETE true',
      'b MISSING ',
      'any COMPLETE true',
      'z? COMPLETE true',
    ]);
    expect(status.status).toBe('INCOMPLETE');
  });

  it("applies an edit of the flow's template at the trail's next moment; until then all readers agree on the old verdict", async () => {
    const acme = await newOrganization(api);
    await acme.putFlow('web', 'version: 1');
    await acme.report(anArtifact('cli'));
    await acme.putFlow('web', TEMPLATE);
    const states = async () => {
      const { data } = (await acme.get(`/trails/${acme.org}`)).json as { data: { compliance_state: string }[] };
      const { json } = await acme.get(`/asserts/${acme.org}/fingerprint/${fingerprintOf('cli')}`);
      const trail = await acme.trail();
      return [trail.compliance_state, data[0]?.compliance_state, (json as { compliant: boolean }).compliant];
    };
    expect(await states()).toEqual(['COMPLIANT', 'COMPLIANT', true]);
    const { compliance_status: before } = await acme.trail();
    await acme.attest('generic', { attestation_name: 'bar' });
    expect(await states()).toEqual(['INCOMPLETE', 'INCOMPLETE', false]);
    expect((await acme.trail()).compliance_status.flow_template_id).not.toBe(before.flow_template_id);
  });
});
