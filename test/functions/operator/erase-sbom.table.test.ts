import { expect, it } from 'vitest';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { OPERATOR_USES } from '#functions/operator/uses.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import { testApi } from '#test/support/api.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { newOrganization } from '#test/support/evidence.ts';
import { cycloneDxJson, SUBJECT } from '#test/support/records/sboms.ts';
import { traces } from './traces.ts';

const api = await testApi([attestationsGroup]);
const MINUTE = 60_000_000;

it('erases what the service read in an SBOM together with what was stated', async () => {
  const acme = await newOrganization(api);
  const file = cycloneDxJson('1.6');
  const attestation_data = { original_fingerprint: sha256Hex(file), document: { package_count: 3 } };
  const report = { attestation_name: 'sbom', type_name: 'sbom', attestation_data };
  await acme.attest('system', report, { files: { attachment_file: file } });
  const [before] = await acme.named('sbom');
  const found = () => traces(api.services.table, acme.id, [SUBJECT.name]);
  expect(await found()).not.toEqual([]);

  api.services.clock.advance(2 * MINUTE);
  const command = { command: 'erase-body', organization: acme.org, reason: 'a name', kind: 'attestation' };
  const id = before?.['attestation_id'];
  const erase = () => runOperator(api.services, { ...command, id });
  expect(await heldTo('operator', OPERATOR_USES, erase)).toMatchObject({ ok: true });

  const [after] = await acme.named('sbom');
  expect(after).toMatchObject({ attestation_type: 'sbom', is_compliant: true, erased: { reason: 'a name' } });
  expect(after).not.toHaveProperty('sbom');
  expect(await found()).toEqual([]);
});
