import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '#test/support/api.ts';
import { anArtifact, type EvidenceOfOrganization, fingerprintOf, newOrganization } from '#test/support/evidence.ts';
import { lists, untouchedOrganization } from './bad-requests.ts';

const { api, organization, refused } = await untouchedOrganization();

interface Writer {
  method: string;
  path: string;
  /** Part of the form, or `payload` for plain JSON. */
  whole: string;
  valid: Record<string, unknown>;
}

/** The endpoints that take a document; `plain` ones take it as JSON. */
const WRITERS: Record<string, Writer> = {
  'begin trail': { method: 'PUT', path: '/trails/ORG/web', whole: 'data_json', valid: { name: 'run' } },
  'report artifact': { method: 'POST', path: '/artifacts/ORG/web', whole: 'payload', valid: anArtifact('cli') },
  attest: {
    method: 'POST',
    path: '/attestations/ORG/web/trail/run/generic',
    whole: 'data_json',
    valid: { attestation_name: 'check' },
  },
  override: {
    method: 'POST',
    path: '/attestations/ORG/web/trail/run/override',
    whole: 'payload',
    valid: { attestation_name: 'c', reason: 'r', new_compliance_status: true, original_attestation_type: 'generic' },
  },
  'announce upload': {
    method: 'POST',
    path: '/attachments/ORG',
    whole: 'payload',
    valid: { filename: 'f', size: 1, sha256: fingerprintOf('x'), content_type: 'text/plain' },
  },
};
const writers = Object.keys(WRITERS);
const forms = writers.filter((name) => WRITERS[name]?.whole === 'data_json');

const writer = (name: string): Writer => {
  const found = WRITERS[name];
  if (!found) throw new Error(`There is no writer ${name}`);
  return found;
};

const send = (acme: EvidenceOfOrganization, { method, path }: Writer, request: ApiRequest) =>
  acme.call(method, path.replace('ORG', acme.org), request);

/** Sends a document as the endpoint takes it. */
const sendText = (acme: EvidenceOfOrganization, to: Writer, text: string) =>
  send(acme, to, to.whole === 'payload' ? { text } : { form: { fields: { [to.whole]: text } } });

describe.each(writers)('a document for %s', (name) => {
  const to = writer(name);
  const nested = (open: string, close: string) => open.repeat(10_000) + close.repeat(10_000);

  it.each([
    ['nothing', ''],
    ['null', 'null'],
    ['not JSON', '{"name":'],
    ['single quotes', "{'name':'x'}"],
    ['NaN', '{"timestamp":NaN}'],
    ['two documents', '{}{}'],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['a number', '1'],
    ['lists in lists without end', nested('[', ']')],
    ['objects in objects without end', `{"user_data":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`],
    ['a byte order mark in the middle', '{"a":\ufeff1}'],
  ])('that is %s is refused as a whole', async (_, text) => {
    const { errors } = await refused((acme) => sendText(acme, to, text));
    expect(Object.keys(errors)).toEqual([to.whole]);
  });

  it('whose every field has the wrong type is refused field by field', async () => {
    for (const wrong of [{}, [[]], -1.5, true]) {
      const fields = Object.fromEntries(Object.keys(to.valid).map((field) => [field, wrong]));
      const { errors } = await refused((acme) => sendText(acme, to, JSON.stringify(fields)));
      expect(Object.keys(errors).length).toBeGreaterThan(0);
    }
  });

  it('a document with keys of prototypes changes no prototype', async () => {
    const acme = await newOrganization(api);
    const { [Object.keys(to.valid)[0] ?? '']: _, ...others } = to.valid;
    const inherited = `"__proto__":${JSON.stringify(to.valid)},"constructor":{"prototype":{"polluted":1}}`;
    const rest = JSON.stringify(others).slice(1);
    const answer = await sendText(acme, to, `{${inherited}${rest === '}' ? '' : ','}${rest}`);
    expect(answer.status).toBe(400);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('a document in a text that is not UTF-8 is refused', async () => {
    const text = Buffer.concat([Buffer.from('{"description":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    await refused((acme) => {
      if (to.whole === 'payload') return send(acme, to, { bytes: text });
      const head = '--b\r\ncontent-disposition: form-data; name="data_json"\r\n\r\n';
      const bytes = Buffer.concat([Buffer.from(head), text, Buffer.from('\r\n--b--\r\n')]);
      return send(acme, to, { bytes, headers: { 'content-type': 'multipart/form-data; boundary=b' } });
    });
  });

  it.each(['', ' ', 'k'.repeat(256), 'größe'])('a document under the Idempotency-Key %j is refused', async (key) => {
    await refused((acme) =>
      send(acme, to, {
        headers: { 'idempotency-key': key },
        ...(to.whole === 'payload'
          ? { json: to.valid }
          : { form: { fields: { data_json: JSON.stringify(to.valid) } } }),
      }),
    );
  });
});

describe.each(forms)('a form for %s', (name) => {
  const to = writer(name);
  const document = JSON.stringify(to.valid);
  const part = (field: string, text: string) =>
    `--b\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${text}\r\n`;
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const raw =
    (text: string, type = headers) =>
    (acme: EvidenceOfOrganization) =>
      send(acme, to, { bytes: Buffer.from(text), headers: type });

  it.each([
    ['with two documents', `${part('data_json', document)}${part('data_json', document)}--b--\r\n`],
    ['that is cut off in the document', part('data_json', document).slice(0, -6)],
    [
      'that is cut off in a file',
      `${part('data_json', document)}--b\r\ncontent-disposition: form-data; name="attachment_file"; filename="f"\r\n\r\nabc`,
    ],
    ['without its end', part('data_json', document)],
    ['of nothing', ''],
    ['of something else', document],
    [
      'of too many parts',
      `${Array.from({ length: 1100 }, () => part('x', 'y')).join('')}${part('data_json', document)}--b--\r\n`,
    ],
  ])('a form %s is refused', async (_, text) => {
    const { errors } = await refused(raw(text));
    expect(Object.keys(errors)).toEqual(['data_json']);
  });

  it('a form with another part in place of its document is refused for both', async () => {
    const { errors } = await refused(raw(`${part('other', 'x')}--b--\r\n`));
    expect(Object.keys(errors)).toEqual(['other', 'data_json']);
  });

  it.each(['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=other'])(
    'a form under the content type %s is refused',
    async (type) => {
      await refused(raw(`${part('data_json', document)}--b--\r\n`, { 'content-type': type }));
    },
  );
});

describe('a number in a query', () => {
  it.each(['0', '-1', 'NaN', 'Infinity', '1e3', '1.5', 'x', '0x10', '١', '9'.repeat(400)])(
    'that is %j is refused as a page and as its size',
    async (value) => {
      for (const path of [...lists, '/trails/ORG/web/run/moments']) {
        for (const field of ['page', 'per_page']) {
          const query = new URLSearchParams([[field, value]]).toString();
          const { status, json } = await organization.get(path.replace('ORG', organization.org), query);
          expect([path, field, status]).toEqual([path, field, 400]);
          expect(Object.keys((json as { errors: object }).errors)).toEqual([`query.${field}`]);
        }
      }
    },
  );
});
