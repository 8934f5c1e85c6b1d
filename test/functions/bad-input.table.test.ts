import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '#test/support/api.ts';
import {
  anArtifact,
  type EvidenceOfOrganization,
  evidenceApi,
  fingerprintOf,
  newOrganization,
} from '#test/support/evidence.ts';

/** What nobody should send, at every endpoint that takes it: a clear 4xx, nothing stored, never a 5xx. */

const api = await evidenceApi();
/** One organization, with the trail `web/run`, for all that is refused or only reads: each request must leave it as it was. */
const organization = await newOrganization(api);
await organization.report(anArtifact('cli'));
const untouched = await organization.stored();

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

/** Sends, and expects a refusal that leaves no trace. */
async function refused(
  act: (acme: EvidenceOfOrganization) => Promise<{ status: number; json: unknown; text: string }>,
  statuses: readonly number[] = [400],
) {
  const answer = await act(organization);
  expect(statuses).toContain(answer.status);
  expect(answer.json).toMatchObject({ message: expect.any(String) });
  expect(answer.text.length).toBeLessThan(20_000);
  expect(await organization.stored()).toEqual(untouched);
  return answer.json as { errors: Record<string, string> };
}

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

const lists = ['/trails/ORG', '/trails/ORG/web', '/artifacts/ORG', '/artifacts/ORG/web', '/attestations/ORG'];

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
