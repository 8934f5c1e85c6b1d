import { expect, it } from 'vitest';
import { attestationComponentsItem } from '#shared/evidence/records/attestation-components.ts';
import { npm, reportSbom, sbomOf } from '#test/support/records/reported-sboms.ts';
import { relayOf } from '#test/support/relay.ts';
import { ALLOW_ALL, type EvaluationJson, evaluatedIn, evaluationsApi, withTrail } from './evaluations-api.ts';

/** What policy programs read of SBOMs (docs/rules/evaluations.md#components-in-the-input). */

const api = await evaluationsApi();
const { table } = api.services;
const evaluated = evaluatedIn(api.services);

/** A policy that denies, and says in its violations what the body gives as `said`. */
const saying = (...body: string[]) =>
  [
    'package policy',
    'default allow := false',
    'sbom := input.trail.compliance_status.attestations_statuses.sbom',
    'violations contains said if {',
    ...body,
    '}',
  ].join('\n');
const STATE = saying(
  'said := sprintf("%v %v %v", [sbom.components.state, sbom.components.count, sbom.components.format])',
);
const HAS_LIST = saying('said := sprintf("list: %v", [sbom.component_list])');
const LISTED = saying(
  'some one in sbom.component_list',
  'said := sprintf("%v %v %v %v", [one.purl, one.name, one.version, one.depth])',
);
const said = ({ result, error }: EvaluationJson) => result?.violations ?? error;

async function withSbom(file: string) {
  const acme = await withTrail(api);
  const relay = relayOf(api.services, acme.id);
  await reportSbom(acme, file);
  return { acme, relay };
}

it('a policy reads the state of an SBOM, the number of its components and, if it asks for it, their list', async () => {
  const { acme, relay } = await withSbom(sbomOf(npm('b', '2.0.0'), npm('a', '1.0.0'), { name: 'plain', version: '3' }));
  expect(said(await evaluated(acme, STATE))).toEqual(['pending null null']);
  expect(said(await evaluated(acme, HAS_LIST))).toEqual(['list: null']);
  await relay.settle();
  expect(said(await evaluated(acme, STATE))).toEqual(['read 3 cyclonedx-1.6']);
  const listed = await evaluated(acme, LISTED);
  expect(said(listed)).toEqual(['null plain 3 null', 'pkg:npm/a@1.0.0 a 1.0.0 null', 'pkg:npm/b@2.0.0 b 2.0.0 null']);
  // A later SBOM changes nothing of what was read.
  await reportSbom(acme, sbomOf(npm('c', '1.0.0')));
  await relay.settle();
  const replay = { key: acme.keys.member, text: 'null' };
  const { json } = await acme.call('POST', `/evaluations/${acme.org}/${listed.id}/replay`, replay);
  expect(json).toMatchObject({ identical: true, result: listed.result, proof: listed.proof });
  expect(said(await evaluated(acme, LISTED))).toEqual(['pkg:npm/c@1.0.0 c 1.0.0 null']);
});

it('a policy that has neither word gets the same input, whatever the service knows of an SBOM', async () => {
  const { acme, relay } = await withSbom(sbomOf(npm('a', '1.0.0')));
  const recorded_at = (await evaluated(acme, ALLOW_ALL)).recorded_at;
  const before = await evaluated(acme, ALLOW_ALL, { recorded_at });
  await relay.settle();
  const after = await evaluated(acme, ALLOW_ALL, { recorded_at });
  expect(after.proof?.['input_sha256']).toBe(before.proof?.['input_sha256']);
  const asking = await evaluated(acme, `${ALLOW_ALL}\n# components`, { recorded_at });
  expect(asking.proof?.['input_sha256']).not.toBe(before.proof?.['input_sha256']);
});

it('a policy reads that an SBOM cannot be read, and has no list of it', async () => {
  const { acme, relay } = await withSbom('no JSON');
  await relay.settle();
  expect(said(await evaluated(acme, STATE))).toEqual(['unreadable null null']);
  expect(said(await evaluated(acme, HAS_LIST))).toEqual(['list: null']);
  expect(said(await evaluated(acme, LISTED))).toEqual([]);
});

it('lists of more than 100,000 components are an error of the context, and counts are not', async () => {
  const acme = await withTrail(api);
  const id = await reportSbom(acme, sbomOf(npm('a', '1.0.0')));
  const many = { state: 'read' as const, set: 'ab'.repeat(32), count: 100_001, why: null, format: 'cyclonedx-1.6' };
  await table.put(attestationComponentsItem(acme.id, id, many));
  expect(said(await evaluated(acme, LISTED))).toEqual({
    kind: 'context_error',
    message: 'The policy may read 100001 components, and at most 100000 are possible',
  });
  expect(said(await evaluated(acme, STATE))).toEqual(['read 100001 cyclonedx-1.6']);
});
