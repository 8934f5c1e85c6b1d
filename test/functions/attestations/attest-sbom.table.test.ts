import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type EvidenceOfOrganization,
  evidenceApi,
  invalidFields,
  newOrganization,
  OK,
  refusal,
} from '#test/support/evidence.ts';
import { cycloneDxJson, cycloneDxXml, SPDX_JSON, SPDX_TAGS, SUBJECT } from '#test/support/records/sboms.ts';

const api = await evidenceApi();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A report as the client sends it. */
const sbom = (file: string, stated: Record<string, unknown> = {}, fields: Record<string, unknown> = {}) => ({
  attestation_name: 'sbom',
  type_name: 'sbom',
  user_data: {},
  annotations: { sbom_format: 'cyclonedx-1.6', sbom_sha256: sha256(file) },
  attestation_data: {
    format: 'cyclonedx-1.6',
    original_fingerprint: sha256(file),
    document: { created_at: null, tools: null, subject: SUBJECT, package_count: 2 },
    ...stated,
  },
  ...fields,
});
const send = (acme: EvidenceOfOrganization, file: string, report: Record<string, unknown> = sbom(file)) =>
  acme.attest('system', report, { files: { attachment_file: file } });

/** What is shown of the file in the newest attestation. */
const shown = async (acme: EvidenceOfOrganization) => (await acme.named('sbom'))[0]?.['sbom'];

/** Uploads a file beforehand. @returns the id by which an attestation names it */
async function upload(acme: EvidenceOfOrganization, text: string): Promise<string> {
  const json = { filename: 'sbom.json', size: text.length, sha256: sha256(text), content_type: 'application/json' };
  const answer = await acme.call('POST', `/attachments/${acme.org}`, { json });
  const { attachment_id: id, upload: form } = answer.json as {
    attachment_id: string;
    upload: { url: string; fields: Record<string, string> };
  };
  const body = new FormData();
  for (const [name, value] of Object.entries(form.fields)) body.append(name, value);
  body.append('file', new Blob([text]), 'sbom.json');
  await (await fetch(form.url, { method: 'POST', body })).arrayBuffer();
  return id;
}

describe('POST /attestations/{org}/{flow_name}/trail/{trail_name}/system with type_name sbom', () => {
  it('is accepted without the feature of controls, which decisions need', async () => {
    const acme = await newOrganization(api, []);
    const file = cycloneDxJson('1.6');
    expect(refusal(await send(acme, file))).toEqual(OK);
    const decision = { attestation_name: 'gate', type_name: 'decision', control: 'C' };
    const answer = await acme.attest('system', { ...decision, attestation_data: { is_compliant: true } });
    expect(refusal(answer)).toEqual([403, { message: 'Forbidden' }]);
  });

  it('is a compliant attestation of its own type, with the file beside what was stated', async () => {
    const acme = await newOrganization(api);
    await acme.begin({}, { template: 'trail:\n  attestations:\n    - {name: sbom, type: sbom}' });
    expect((await acme.trail()).compliance_state).toBe('INCOMPLETE');
    const file = cycloneDxJson('1.6');
    expect(refusal(await send(acme, file))).toEqual(OK);
    expect((await acme.trail()).compliance_state).toBe('COMPLIANT');
    const [record] = await acme.named('sbom');
    expect(record).toMatchObject({
      attestation_type: 'sbom',
      is_compliant: true,
      attestation_data: sbom(file).attestation_data,
      annotations: { sbom_sha256: sha256(file) },
      attachments: [{ sha256: sha256(file) }],
      sbom: {
        read: { format: 'cyclonedx-1.6', subject: SUBJECT, package_count: 2 },
        unreadable: null,
        differences: [],
      },
    });
    expect(record).not.toHaveProperty('control_version');
    expect(record).not.toHaveProperty('evidence_files');
  });

  it('is listed by its type, under both spellings', async () => {
    const acme = await newOrganization(api);
    await send(acme, SPDX_JSON);
    await acme.attest('generic', { attestation_name: 'other' });
    for (const type of ['sbom', 'system:sbom']) {
      const { json } = await acme.get(`/attestations/${acme.org}`, `attestation_type=${type}`);
      expect(json).toMatchObject({ pagination: { total: 1 }, data: [{ attestation_type: 'sbom' }] });
    }
  });

  it('can be overridden', async () => {
    const acme = await newOrganization(api);
    await send(acme, SPDX_JSON);
    const reason = { reason: 'of another product', new_compliance_status: false, original_attestation_type: 'sbom' };
    expect(refusal(await acme.attest('override', { attestation_name: 'sbom', ...reason }))).toEqual(OK);
    expect((await acme.trail()).compliance_state).toBe('NON-COMPLIANT');
    expect((await acme.named('sbom'))[0]).toMatchObject({ original_is_compliant: true });
  });

  it.each([
    ['CycloneDX XML', cycloneDxXml('1.5'), 'cyclonedx-1.5'],
    ['SPDX JSON', SPDX_JSON, 'spdx-2.3'],
    ['SPDX tags', SPDX_TAGS, 'spdx-2.3'],
  ])('reads %s', async (_, file, format) => {
    const acme = await newOrganization(api);
    await send(acme, file, sbom(file, { format }));
    const read = { format, subject: SUBJECT, package_count: 2 };
    expect(await shown(acme)).toEqual({ read, unreadable: null, differences: [] });
  });

  it('shows where the reporter stated something else than the file says', async () => {
    const acme = await newOrganization(api);
    const document = { subject: { ...SUBJECT, name: 'web' }, package_count: 99 };
    await send(acme, SPDX_JSON, sbom(SPDX_JSON, { document }));
    expect(await shown(acme)).toMatchObject({
      differences: [
        { field: 'format', stated: 'cyclonedx-1.6', found: 'spdx-2.3' },
        { field: 'package_count', stated: 99, found: 2 },
        { field: 'subject.name', stated: 'web', found: SUBJECT.name },
      ],
    });
  });

  it.each([
    ['a text', 'no SBOM', 'The file is neither CycloneDX nor SPDX, in JSON, XML or tag-value form'],
    [
      'an XML with entities',
      '<!DOCTYPE bom [<!ENTITY a "b">]><bom>&a;</bom>',
      'The XML has a document type (DOCTYPE), which is not accepted',
    ],
    ['deep JSON', `{"a":${'['.repeat(900_000)}`, 'JSON nested deeper than 250 levels'],
  ])('stores %s and says why it is not known', async (_, file, unreadable) => {
    const acme = await newOrganization(api);
    expect(refusal(await send(acme, file))).toEqual(OK);
    expect(await acme.named('sbom')).toMatchObject([
      { is_compliant: true, sbom: { read: null, unreadable, differences: [] } },
    ]);
  });

  it('reads a file of up to 10 MB that was uploaded beforehand', async () => {
    const acme = await newOrganization(api);
    const file = cycloneDxJson('1.6').padEnd(10 * 1024 * 1024, ' ');
    const attachments = [await upload(acme, 'something else'), await upload(acme, file)];
    const path = `/attestations/${acme.org}/web/trail/run/system`;
    expect(refusal(await acme.call('POST', path, { json: sbom(file, {}, { attachments }) }))).toEqual(OK);
    expect(await shown(acme)).toMatchObject({ read: { package_count: 2 }, differences: [] });
  });
});

describe('an SBOM is refused, and nothing is stored', () => {
  const file = cycloneDxJson('1.6');
  const field = 'attestation_data.original_fingerprint';
  const sentence = (attached: string, stated: string) =>
    `Input should be the SHA-256 of an attached file. Attach the SBOM as it was digested. SHA-256 of attached files: ${attached} [input: ${stated}]`;

  it('an SBOM without the file, or with a file that has another digest, is refused, and nothing is stored', async () => {
    const acme = await newOrganization(api);
    const before = await acme.stored();
    expect(refusal(await acme.attest('system', sbom(file)))).toEqual(
      invalidFields({ [field]: sentence('none', sha256(file)) }),
    );
    expect(refusal(await send(acme, 'other', sbom(file)))).toEqual(
      invalidFields({ [field]: sentence(sha256('other'), sha256(file)) }),
    );
    expect(await acme.stored()).toEqual(before);
  });

  it.each<[Record<string, unknown>, Record<string, string>]>([
    [{ type_name: 'vsa' }, { type_name: "Input should be 'decision' or 'sbom' [input: vsa]" }],
    [{ type_name: undefined }, { type_name: 'Field required [input: None]' }],
    [{ attestation_data: undefined }, { attestation_data: 'Field required [input: None]' }],
    [
      { attestation_data: { document: { package_count: -1, subject: { version: 2 } } } },
      {
        [field]: 'Field required [input: None]',
        'attestation_data.document.package_count': expect.any(String),
        'attestation_data.document.subject.name': 'Field required [input: None]',
        'attestation_data.document.subject.version': expect.any(String),
      },
    ],
  ])('an SBOM with %j is refused, and nothing is stored', async (fields, errors) => {
    const acme = await newOrganization(api);
    expect(refusal(await send(acme, file, sbom(file, {}, fields)))).toEqual(invalidFields(errors));
  });
});
