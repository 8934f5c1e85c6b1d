import { expect, test } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { signersGroup } from '#functions/signers/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { ROOT_TEXT } from '#test/functions/signers/signers-api.ts';
import { testApi } from '#test/support/api.ts';
import { attestSigned } from '#test/support/records/signed-evidence.ts';
import { evaluatedIn, withTrail } from './evaluations-api.ts';

/** What recalls change of evaluations (rules/verified-evidence.md#effect-of-recalls). */

const HAS_SCAN = [
  'package policy',
  'default allow := false',
  'allow if input.trail.compliance_status.attestations_statuses[_].attestation_name == "scan"',
].join('\n');

test('an evaluation keeps its verdict when its input is recalled, and its reasons say so', async () => {
  const evidence = [flowsGroup, trailsGroup, artifactsGroup, attestationsGroup, signersGroup];
  const api = await testApi([evaluationsGroup, ...evidence]);
  const acme = await withTrail(api);
  const put = (path: string, json: object) =>
    acme.call('PUT', path.replace('ORG', acme.org), { json, key: acme.keys.admin });
  await put('/trust-roots/ORG/own', { kind: 'sigstore', trusted_root: ROOT_TEXT });
  const subjects = ['https://code.example/acme/web/.github/workflows/release.yml@*'];
  await put('/signers/ORG/release', { trust_root: 'own', issuer: 'https://issuer.example', subjects });
  await attestSigned(api, acme, { attestation_name: 'scan' });
  const evaluated = evaluatedIn(api.services);
  const before = await evaluated(acme, HAS_SCAN);
  const reasons = async () => {
    const { json } = await acme.get(`/evaluations/${acme.org}/${before.id}`, 'reasons=chain');
    return (json as { result: object; reasons: { says: string }[] }).reasons.map(({ says }) => says);
  };
  expect(before.result).toMatchObject({ allow: true });
  expect(await reasons()).toEqual(['The policy program allowed']);

  await put('/recalls/ORG/other', { run: 'https://ci.example/8', reason: 'another run' });
  expect(await reasons()).toEqual(['The policy program allowed']);
  expect((await put('/recalls/ORG/leak', { signer: 'release', reason: 'the key leaked' })).status).toBe(201);
  expect(await reasons()).toEqual(['The policy program allowed; recalled since: `scan` of run by `leak`']);
  const replay = await acme.call('POST', `/evaluations/${acme.org}/${before.id}/replay`, { text: 'null' });
  expect(replay.json).toMatchObject({ identical: true });
  expect((await evaluated(acme, HAS_SCAN)).result).toMatchObject({ allow: false });
});
