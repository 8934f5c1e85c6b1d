import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readComponents } from '#shared/components/rules/read/read-components.ts';
import {
  SPDX_JSON as COMPONENTS_AS_JSON,
  SPDX_TAGS as COMPONENTS_AS_TAGS,
  CYCLONEDX_JSON,
  CYCLONEDX_XML,
  EXPECTED,
  SPDX_3,
} from '#test/shared/components/rules/read/documents.ts';
import { npm, sbomOf } from '#test/support/records/reported-sboms.ts';
import { cycloneDxJson, cycloneDxXml, SPDX_JSON, SPDX_TAGS, SUBJECT } from '#test/support/records/sboms.ts';
import { CLIENT_RUNS_HERE, clientStory, execute, KEYS, lines, PLAIN_ORG } from './client.ts';
import { since } from './release.ts';
import { FINGERPRINT } from './workspace.ts';

const TRAIL = ['--flow', 'parts', '--trail', 'v1'];
const PLACE = [...TRAIL, '--fingerprint', FINGERPRINT];
const FILES = {
  'bom-1.4.json': cycloneDxJson('1.4'),
  'bom-1.5.json': cycloneDxJson('1.5'),
  'bom-1.6.json': cycloneDxJson('1.6'),
  'bom-1.4.xml': cycloneDxXml('1.4'),
  'bom-1.5.xml': cycloneDxXml('1.5'),
  'bom-1.6.xml': cycloneDxXml('1.6', 'c:'),
  'shop.spdx.json': SPDX_JSON,
  'shop.spdx': SPDX_TAGS,
};
/** SBOMs of one product in every format that the client accepts. */
const ACCEPTED: Record<string, string> = {
  ...Object.fromEntries(
    ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5', '1.6', '1.7'].flatMap((version) => [
      [`components-${version}.json`, CYCLONEDX_JSON(version)],
      [`components-${version}.xml`, CYCLONEDX_XML(version)],
    ]),
  ),
  'components-2.1.spdx.json': COMPONENTS_AS_JSON('2.1'),
  'components-2.2.spdx.json': COMPONENTS_AS_JSON('2.2'),
  'components-2.3.spdx.json': COMPONENTS_AS_JSON('2.3'),
  'components-2.2.spdx': COMPONENTS_AS_TAGS('2.2'),
  'components-2.3.spdx': COMPONENTS_AS_TAGS('2.3'),
};
const REFUSED: Record<string, string> = {
  'components-1.8.json': CYCLONEDX_JSON('1.8'),
  'components-2.4.spdx.json': COMPONENTS_AS_JSON('2.4'),
  'components-3.0.json': SPDX_3,
};
const TEMPLATE =
  'version: 1\ntrail:\n  artifacts:\n    - name: shop\n      attestations:\n        - name: sbom\n          type: sbom\n';
const POLICY = `_schema: https://docs.example/schemas/policy/environment/v1
artifacts:
  attestations:
    - name: sbom
      type: sbom
`;
/** Requires an SBOM that can be read, and denies versions of a package. */
const DENIES = `_schema: https://docs.example/schemas/policy/environment/v1
artifacts:
  sbom: {required: true}
  components:
    deny:
      - purl: pkg:npm/lodash
        versions: vers:npm/<4.17.21
`;
const SECONDS = { timeout: 30_000, interval: 500 };
const COMPONENTS = {
  'denies.yml': DENIES,
  'safe.json': sbomOf(npm('lodash', '4.17.21')),
  'denied.json': sbomOf(npm('lodash', '4.17.20')),
};
/** Allows SBOMs whose file was read and says what was stated. */
const REGO = `package policy

default allow := false

allow if {
	entry := input.trail.compliance_status.artifacts_statuses.shop.attestations_statuses.sbom
	entry.attestation_type == "sbom"
	entry.sbom.read.package_count == 2
	count(entry.sbom.differences) == 0
}
`;

describe.runIf(CLIENT_RUNS_HERE)('the client attests SBOMs in an organization without beta features', () => {
  const client = clientStory();
  const inPlain = (args: readonly string[]) => [...args, '--org', PLAIN_ORG];
  const ok = (...args: string[]) => client.ok(...inPlain(args));
  const json = <T>(...args: string[]) => client.json<T>(...inPlain(args));
  const attestation = async (name: string) =>
    (await json<Record<string, unknown>[]>('get', 'attestation', name, ...TRAIL))[0];

  beforeAll(async () => {
    const files = { ...FILES, 'sbom.yml': TEMPLATE, 'needs-sbom.yml': POLICY, 'sbom.rego': REGO, ...COMPONENTS };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(client.dir, name), content);
    await ok('create', 'flow', 'parts', '--template-file', 'sbom.yml');
    await ok('begin', 'trail', 'v1', '--flow', 'parts');
    const urls = ['--build-url', 'https://ci.example/1', '--commit-url', 'https://code.example/c/1'];
    const artifact = ['client.bin', '--artifact-type', 'file', '--name', 'shop', '--commit', 'HEAD'];
    await ok('attest', 'artifact', ...artifact, '--repo-root', 'repo', ...TRAIL, ...urls);
    await ok('create', 'policy', 'needs-sbom', 'needs-sbom.yml');
  });

  it('fails to assert while the SBOM is missing', async () => {
    const assert = inPlain(['assert', 'artifact', '--fingerprint', FINGERPRINT]);
    for (const scope of [
      ['--policy', 'needs-sbom'],
      ['--flow', 'parts'],
    ]) {
      const { code, stdout } = await client.run(...assert, ...scope);
      expect([code, stdout]).toEqual([1, expect.stringContaining('NON-COMPLIANT')]);
    }
  });

  it('asserts by what the SBOM lists', async () => {
    await ok('create', 'policy', 'denies', 'denies.yml');
    const assert = async () => {
      const { code, stdout } = await client.run(
        ...inPlain(['assert', 'artifact', '--fingerprint', FINGERPRINT, '--policy', 'denies']),
      );
      return [code, lines(stdout)[0]];
    };
    const refused = [1, expect.stringContaining('NON-COMPLIANT')];
    // Without an SBOM of the artifact, and until it is read, nobody knows what is in it.
    expect(await assert()).toEqual(refused);
    await ok('attest', 'sbom', '--name', 'parts', '--sbom-file', 'safe.json', ...PLACE);
    await expect.poll(assert, SECONDS).toEqual([0, 'COMPLIANT']);
    await ok('attest', 'sbom', '--name', 'parts', '--sbom-file', 'denied.json', ...PLACE);
    await expect.poll(assert, SECONDS).toEqual(refused);
    await ok('attest', 'sbom', '--name', 'parts', '--sbom-file', 'safe.json', ...PLACE);
  });

  it.each(Object.keys(FILES))('reads what the client read: %s', async (file) => {
    const name = file.replaceAll('.', '_');
    expect(await ok('attest', 'sbom', '--name', name, '--sbom-file', file, ...TRAIL)).toBe(
      `sbom attestation '${name}' is reported to trail: v1\n`,
    );
    expect(await attestation(name)).toMatchObject({
      ...{ attestation_type: 'sbom', is_compliant: true },
      sbom: { read: { subject: SUBJECT, package_count: 2 }, unreadable: null, differences: [] },
    });
  });

  it('reads the components of every format that the client accepts', async () => {
    const files = Object.entries({ ...ACCEPTED, ...REFUSED });
    for (const [name, content] of files) writeFileSync(join(client.dir, name), content);
    const env = { HOME: client.dir, KOSLI_HOST: client.url, KOSLI_ORG: PLAIN_ORG, KOSLI_API_TOKEN: KEYS.ann };
    const dryRuns = await Promise.all(
      files.map(async ([name]) => {
        const args = ['attest', 'sbom', '--name', 'sbom', '--sbom-file', name, ...TRAIL, '--dry-run'];
        const { stdout, stderr } = await execute(args, client.dir, env);
        return { name, printed: stdout + stderr };
      }),
    );
    // A dry run ends with 0 whatever happens. It prints the request that it would send, or why it would send none.
    const accepted = dryRuns.filter(({ printed }) => printed.includes('"sbom_format"'));
    expect(accepted.map(({ name }) => name)).toEqual(Object.keys(ACCEPTED));
    for (const [name, content] of Object.entries(ACCEPTED)) {
      expect(readComponents(Buffer.from(content)).read?.components, name).toEqual(EXPECTED);
    }
  });

  it('shows the attestation, and counts it for its artifact, a policy and a policy program', async () => {
    await ok('attest', 'sbom', '--name', 'sbom', '--sbom-file', 'shop.spdx', ...PLACE);
    expect(lines(await ok('get', 'attestation', 'sbom', '--flow', 'parts', '--fingerprint', FINGERPRINT))).toEqual(
      expect.arrayContaining(['Name:  sbom', 'Type:  sbom', 'Compliance:  true', since('Created at')]),
    );
    for (const scope of [
      ['--policy', 'needs-sbom'],
      ['--flow', 'parts'],
    ]) {
      expect(lines(await ok('assert', 'artifact', '--fingerprint', FINGERPRINT, ...scope))[0]).toBe('COMPLIANT');
    }
    expect(lines(await ok('get', 'trail', 'v1', '--flow', 'parts'))).toContainEqual(
      expect.stringContaining("'sbom' attestation reported for shop.sbom"),
    );
    expect(lines(await ok('evaluate', 'trail', 'v1', '--flow', 'parts', '--policy', 'sbom.rego'))).toEqual([
      'RESULT:  ALLOWED',
    ]);
  });
});
