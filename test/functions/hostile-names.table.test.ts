import { describe, expect, it } from 'vitest';
import { anArtifact, type EvidenceOfOrganization } from '#test/support/evidence.ts';
import { lists, untouchedOrganization } from './bad-requests.ts';

const { organization, refused } = await untouchedOrganization();

const HOSTILE = [
  ...[
    'a/b',
    'a#b',
    'a\u0000b',
    '..',
    '.',
    ' ',
    '-a',
    'a b',
    '%2e%2e',
    'a%2Fb',
    'größe',
    'ａ',
    'a\u202eb',
    'a\u200bb',
    "a'b",
  ],
  ...['a"b', '{{x}}', '$ne', 'n'.repeat(10_000)],
];

describe('a template', () => {
  const bomb = `a0: &a0 [x]\n${Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i},*a${i}]`).join('\n')}`;
  it.each([
    ['that multiplies itself', bomb],
    ['nested without end', `trail: ${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['with a key of prototypes', '__proto__: {trail: {}}'],
    ['with unknown keys', 'trail:\n  artifacts:\n    - {name: a, attestations: [], extra: 1}'],
    [
      'with two artifacts of one name',
      'trail:\n  artifacts:\n    - {name: a, attestations: []}\n    - {name: a, attestations: []}',
    ],
    ['with a tag', 'trail: !!js/function "x"'],
    ['of two documents', 'version: 1\n---\nversion: 1'],
    ['of bytes', new Uint8Array([0, 255, 254])],
  ])('a template %s is refused', async (_, template) => {
    const { errors } = await refused((acme) =>
      acme.call('PUT', `/trails/${acme.org}/web`, {
        form: { fields: { data_json: '{"name":"run"}' }, files: { template_file: template } },
      }),
    );
    expect(Object.keys(errors)).toEqual(['template_file']);
  });

  it('a template above a megabyte is refused', async () => {
    await refused((acme) => acme.begin({}, { template: `#${'x'.repeat(1024 * 1024)}` }));
  });
});

describe.each(HOSTILE)('the name %j', (name) => {
  it('is refused wherever something would be called so', async () => {
    const report = (fields: Record<string, unknown>) => (acme: EvidenceOfOrganization) =>
      acme.report(anArtifact('cli', fields));
    await refused((acme) => acme.begin({ name }));
    await refused(report({ trail_name: name }));
    if (name !== '-a') await refused(report({ template_reference_name: name }));
    if (name !== '-a') await refused((acme) => acme.attest('generic', { attestation_name: name }));
    await refused((acme) => acme.attest('custom', { attestation_name: 'a', type_name: name }));
    if (name.includes('/')) return;
    await refused((acme) => acme.begin({}, { flow: name }), [400, 404]);
    await refused((acme) => acme.attest('generic', { attestation_name: 'a' }, { flow: name }), [400, 404]);
    await refused((acme) => acme.attest('generic', { attestation_name: 'a' }, { trail: name }), [400, 404]);
  });

  it('is unknown wherever something is read by it', async () => {
    const paths = [
      ...[
        `/trails/ORG/${name}`,
        `/trails/ORG/web/${name}`,
        `/trails/ORG/${name}/run`,
        `/trails/ORG/web/${name}/moments`,
      ],
      ...[`/artifacts/ORG/${name}`, `/artifacts/ORG/web/fingerprint/${name}`, `/asserts/ORG/fingerprint/${name}`],
      ...[`/attestations/ORG/${name}/trail/run/a`, `/attestations/ORG/web/trail/${name}/a`],
      ...[`/attestations/ORG/web/artifact/${name}/a`, `/attestations/ORG/${name}/attachments`],
    ];
    for (const path of paths) {
      const { status, json } = await organization.get(path.replace('ORG', organization.org));
      expect([path, status]).toEqual([path, 404]);
      expect(json).toMatchObject({ message: expect.any(String) });
    }
    const queries = [
      ...['/trails/ORG?flow', '/trails/ORG?fingerprint', '/trails/ORG?flow_tag', '/artifacts/ORG?flow_name'],
      ...['/artifacts/ORG?repo_name', '/attestations/ORG?flow', '/attestations/ORG?attestation_id'],
      ...['/attestations/ORG?attestation_type', '/attestations/ORG?fingerprint'],
    ];
    for (const query of queries) {
      const [path = '', field] = query.replace('ORG', organization.org).split('?');
      const { status } = await organization.get(path, new URLSearchParams([[String(field), name]]).toString());
      expect([query, status === 200 || status === 404]).toEqual([query, true]);
    }
  });
});

describe('a query parameter', () => {
  it.each(lists)('a query parameter of %s that is empty counts as absent', async (list) => {
    const path = list.replace('ORG', organization.org);
    const names = ['page', 'per_page', 'flow', 'flow_tag', 'fingerprint', 'flow_name', 'repo_name', 'attestation_type'];
    const { errors: unknown } = (await organization.get(path, names.join('=&'))).json as { errors?: object };
    const known = names.filter((name) => !(`query.${name}` in (unknown ?? {})));
    const { status, text } = await organization.get(path, known.join('=&'));
    expect([status, text]).toEqual([200, (await organization.get(path)).text]);
  });

  it.each(lists)('a query parameter of %s that is misspelled is refused', async (list) => {
    const { errors } = await refused((acme) => acme.get(list.replace('ORG', acme.org), 'per_pag=1'));
    expect(errors).toEqual({
      'query.per_pag': "Unknown parameter 'per_pag'. The nearest known parameter is 'per_page'",
    });
  });
});
