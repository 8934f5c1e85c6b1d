import { describe, expect, it } from 'vitest';
import { describeAccess } from '#test/support/access.ts';
import {
  type EvidenceOfOrganization,
  evidenceApi,
  invalidFields,
  newOrganization,
  OK,
  refusal,
} from '#test/support/evidence.ts';

const api = await evidenceApi();

interface Type {
  name?: string;
  rules?: string[];
  schema?: unknown;
}

const makeType = (acme: EvidenceOfOrganization, { name = 'coverage', rules, schema }: Type) =>
  acme.call('POST', `/custom-attestation-types/${acme.org}`, {
    form: {
      fields: { data_json: JSON.stringify({ name, ...(rules && { evaluator: { content_type: 'jq', rules } }) }) },
      ...(schema !== undefined && { files: { type_schema: JSON.stringify(schema) } }),
    },
  });
const attest = (acme: EvidenceOfOrganization, data: unknown, fields: Record<string, unknown> = {}) =>
  acme.attest('custom', { attestation_name: 'check', type_name: 'coverage', attestation_data: data, ...fields });

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await newOrganization(api);

describe('POST /attestations/{org}/{flow_name}/trail/{trail_name}/custom', () => {
  describeAccess(api, {
    method: 'POST',
    path: (org) => `/attestations/${org}/web/trail/run/custom`,
    request: { json: { attestation_name: 'check', type_name: 'coverage', attestation_data: {} } },
    needs: 'member',
  });

  it("judges by the rules of the type's latest version, and stores the outcome of each rule", async () => {
    const acme = await newOrganization(api);
    expect((await makeType(acme, { rules: ['.line > 80'] })).status).toBe(201);
    expect(refusal(await attest(acme, { line: 81 }))).toEqual(OK);
    await makeType(acme, { rules: ['.line > 80', '.branch > 50'] });
    expect(refusal(await attest(acme, { line: 90, branch: 10 }))).toEqual(OK);
    const [second, first] = await acme.named('check');
    expect(first).toMatchObject({
      attestation_type: 'custom:coverage',
      is_compliant: true,
      type_version: 1,
      attestation_data: { line: 81 },
      type_name: 'coverage',
      rule_results: [{ is_compliant: true }],
    });
    expect(second).toMatchObject({
      is_compliant: false,
      type_version: 2,
      rule_results: [{ is_compliant: true }, { is_compliant: false, reason: expect.any(String) }],
    });
    expect((await acme.trail()).compliance_status.attestations_statuses).toMatchObject([
      { attestation_type: 'custom:coverage', is_compliant: false },
    ]);
  });

  it.each([
    ['null', '.missing'],
    ['nothing', 'empty'],
    ['a number', '1'],
    ['several outputs, one of them false', 'true, false'],
    ['an error', 'error("no")'],
    ['an error with all of the data', 'error(tojson)'],
    ['no end', '[range(1e9)] | length > 0'],
    ['endless recursion', 'def f: 1 + f; f'],
  ])('stores a report as non-compliant if a rule gives %s', async (_, rule) => {
    const acme = await newOrganization(api);
    expect((await makeType(acme, { rules: [rule] })).status).toBe(201);
    expect(refusal(await attest(acme, { text: 'x'.repeat(100_000) }))).toEqual(OK);
    expect(await acme.named('check')).toMatchObject([{ is_compliant: false, rule_results: [{ is_compliant: false }] }]);
  });

  it('is compliant if every output is true, and if there are no rules', async () => {
    const acme = await newOrganization(api);
    await makeType(acme, { rules: ['true, true', '.[] == "10"'] });
    expect(refusal(await attest(acme, ['10']))).toEqual(OK);
    await makeType(acme, { name: 'plain' });
    expect(refusal(await attest(acme, undefined, { type_name: 'plain' }))).toEqual(OK);
    expect(await acme.named('check')).toMatchObject([{ is_compliant: true }, { is_compliant: true }]);
  });

  it('refuses data that the schema does not allow, and stores nothing', async () => {
    const acme = await newOrganization(api);
    await makeType(acme, { schema: { type: 'object', required: ['line'], properties: { line: { type: 'number' } } } });
    const before = await acme.stored();
    for (const data of [{ line: 'x' }, {}, [], null, undefined]) {
      expect(refusal(await attest(acme, data))).toEqual(invalidFields({ attestation_data: expect.any(String) }));
    }
    expect(await acme.stored()).toEqual(before);
    expect(refusal(await attest(acme, { line: 1 }))).toEqual(OK);
  });

  it('refuses an unknown type with 404 and an archived type with 400', async () => {
    const acme = await newOrganization(api);
    const before = await acme.stored();
    expect(refusal(await attest(acme, {}))).toEqual([
      404,
      { message: `Custom attestation type 'coverage' does not exist for org '${acme.org}'` },
    ]);
    expect(await acme.stored()).toEqual(before);
    await makeType(acme, {});
    await acme.call('PUT', `/custom-attestation-types/${acme.org}/coverage/archive`, { text: 'null' });
    expect(refusal(await attest(acme, {}))).toEqual([
      400,
      {
        message: `Custom attestation type 'coverage' is archived for org '${acme.org}'`,
        errors: { type_name: 'Should be a type that is not archived [input: coverage]' },
      },
    ]);
    expect((await acme.get(`/trails/${acme.org}/web/run`)).status).toBe(404);
  });

  it("does not find another organization's types", async () => {
    const [acme, other] = [await newOrganization(api), await newOrganization(api)];
    await makeType(other, {});
    expect((await attest(acme, {})).status).toBe(404);
  });

  it('gives an override of the type custom the type of the newest custom report', async () => {
    const acme = await newOrganization(api);
    await makeType(acme, { rules: ['.ok'] });
    await attest(acme, { ok: false });
    const [original] = await acme.named('check');
    const fields = { attestation_name: 'check', reason: 'r', new_compliance_status: true };
    await acme.attest('override', { ...fields, original_attestation_type: 'custom' });
    expect((await acme.trail()).compliance_status.attestations_statuses).toMatchObject([
      {
        attestation_type: 'custom:coverage',
        overridden_attestation_id: original?.['attestation_id'],
        is_compliant: true,
      },
    ]);
    expect((await acme.named('check'))[0]).toMatchObject({ original_attestation_type: 'custom:coverage' });
  });

  it.each([
    [{ type_name: 'a b' }],
    [{ type_name: undefined }],
    [{ type_name: 'a#b' }],
    [{ type_name: 'n'.repeat(300) }],
  ])('refuses %j', async (fields) => {
    expect(refusal(await attest(refusing, {}, fields))).toEqual(invalidFields({ type_name: expect.any(String) }));
  });
});
